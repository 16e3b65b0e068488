package collect

import "github.com/memaudit/memaudit/internal/fact"

// noKernel is the reason of a kernel fact when only an SMBIOS file is audited,
// or when the machine's tree could not be read.
func noKernel[T any](c *collector, what string) fact.Fact[T] {
	if f := c.rootFailed; f != nil {
		return fact.Unknown[T](f.State, f.Detail, "")
	}
	return fact.Unknown[T](fact.Unread, what+" is the kernel's, and this input is an SMBIOS file only",
		"audit the live machine, or give --root or --snapshot beside the file")
}
