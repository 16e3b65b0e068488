package wording

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestProcessorName(t *testing.T) {
	for in, want := range map[string]string{
		"Intel(R) Xeon(R) CPU           X5670  @ 2.93GHz":  "Xeon X5670",
		"Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz":         "Xeon Gold 6338",
		"AMD EPYC 7763 64-Core Processor":                  "EPYC 7763",
		"Quad-Core AMD Opteron(tm) Processor 8356":         "Opteron 8356",
		"Intel(R) Xeon(R) Platinum 8480+":                  "Xeon Platinum 8480+",
		"Intel":                                            "Intel",
		"AMD FX(tm)-8120 Eight-Core Processor            ": "FX-8120",
		"Genuine Intel(R) CPU 0000%@":                      "Intel engineering sample",
	} {
		assert.Equal(t, want, Processor(in))
	}
}
