package wording

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestProcessorName(t *testing.T) {
	for in, want := range map[string]string{
		"Intel(R) Xeon(R) CPU           X5670  @ 2.93GHz": "Xeon X5670",
		"Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz":        "Xeon Gold 6338",
		"AMD EPYC 7763 64-Core Processor":                 "EPYC 7763",
		"Quad-Core AMD Opteron(tm) Processor 8356":        "Opteron 8356",
		"Intel(R) Xeon(R) Platinum 8480+":                 "Xeon Platinum 8480+",
		"Intel":                                           "Intel",
	} {
		assert.Equal(t, want, Processor(in))
	}
}

func TestQuantities(t *testing.T) {
	assert.Equal(t, "16", GiB(16<<30))
	assert.Equal(t, "0.5", GiB(512<<20))
	assert.Equal(t, "512 MiB", Size(512<<20))
	assert.Equal(t, "1.5 GiB", Size(1536<<20))
	assert.Equal(t, "64 KiB", Size(64<<10))
	assert.Equal(t, "15.6 GiB", Memory(16_777_216_000))
	assert.Equal(t, "2018-05-22", Date("05/22/2018"))
	assert.Equal(t, "05/22/18", Date("05/22/18"))
}
