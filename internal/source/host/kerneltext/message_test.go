package kerneltext

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestMessages checks which lines of a log are kept, in the forms in which a log is stored, and that what a program wrote to the
// log and other messages are not.
func TestMessages(t *testing.T) {
	for _, c := range []struct {
		name, line string
		want       []string
	}{
		{"record of the kernel", "6,1091,1731904,-;virt/tdx: module initialized", []string{"virt/tdx: module initialized"}},
		{"record of a program", "30,1091,1731904,-;virt/tdx: module initialized", []string{}},
		{"line of dmesg", "[    1.731904] x86/tme: not enabled by BIOS", []string{"x86/tme: not enabled by BIOS"}},
		{"line with a thread", "[    1.731904][   T37] sgx: There are zero EPC sections.", []string{"sgx: There are zero EPC sections."}},
		{"line of dmesg -r", "<6>[ 9931.731904] soft offline: 0x18a3f: page migrated", []string{"soft offline: 0x18a3f: page migrated"}},
		{"line without a time", "SEV-SNP: Memory for the RMP table has not been reserved by BIOS", []string{"SEV-SNP: Memory for the RMP table has not been reserved by BIOS"}},
		{"older words of SEV", "SEV supported: 509 ASIDs", []string{"SEV supported: 509 ASIDs"}},
		{"the security processor", "ccp 0000:22:00.1: SEV API:1.51 build:3", []string{"ccp 0000:22:00.1: SEV API:1.51 build:3"}},
		{"a page", "[88231.731904] Memory failure: 0x3f5a7b: recovery action for dirty LRU page: Recovered", []string{"Memory failure: 0x3f5a7b: recovery action for dirty LRU page: Recovered"}},
		{"another message", "[    1.731904] systemd[1]: Set hostname to <node17>.", []string{}},
		{"one that quotes it", "[    1.731904] usb 1-1: Product: virt/tdx: module initialized", []string{}},
		{"no text", "[    1.731904] virt/tdx: \x1b[2J", []string{}},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, Messages(c.line+"\n")) })
	}
}
