package cli

import (
	"fmt"

	"github.com/memaudit/memaudit/internal/source/smbios/smbiostest"
)

func processors(b *smbiostest.Builder, name, brand string, id uint64, cores int) {
	for cpu := 1; cpu <= 2; cpu++ {
		b.CPU(smbiostest.CPU{Socket: fmt.Sprintf(name, cpu), Manufacturer: "Intel(R) Corporation", Version: brand, ID: id, Cores: cores, Enabled: cores, Threads: 2 * cores, Characteristics: 0xFC})
	}
}
