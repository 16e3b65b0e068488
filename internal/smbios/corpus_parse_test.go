package smbios

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// viewAll decodes every typed view.
func viewAll(t *Table) {
	t.BIOS()
	t.System()
	t.Boards()
	t.Chassis()
	t.Processors()
	t.Caches()
	t.MemoryArrays()
	t.MemoryDevices()
	t.MemoryErrors()
	t.ArrayMappings()
	t.DeviceMappings()
	t.MemoryChannels()
	t.IPMIDevices()
	t.OnboardDevices()
	t.HostInterfaces()
	t.TPMs()
	t.ProcessorInfos()
	t.Firmwares()
	t.HPEDIMMLocations()
}

// Every text anybody published must give a table with structures.
func TestCorpusTexts(t *testing.T) {
	texts, devices := 0, 0
	eachText(t, func(name string, data []byte) {
		texts++
		table, err := Parse(data)
		require.NoError(t, err, name)
		assert.NotEmpty(t, table.Structures, name)
		viewAll(table)
		devices += table.Count(typeMemoryDevice)
	})
	assert.Greater(t, texts, 2000)
	t.Logf("%d texts, %d memory devices", texts, devices)
}
