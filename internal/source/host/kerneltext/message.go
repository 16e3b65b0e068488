package kerneltext

import (
	"regexp"
	"strings"
	"sync"
)

// Reported reports whether a message tells how a feature of the platform that setup offers came up (TDX, SGX, memory
// encryption, SEV-SNP, mirroring; linux arch/x86/virt, arch/x86/kernel/cpu, arch/x86/kvm/svm/sev.c, drivers/iommu/amd/init.c,
// drivers/crypto/ccp), or that Linux took a page away (mm/memory-failure.c). None names a machine or a person.
func Reported(message string) bool {
	return len(message) <= maxMessage && reported().MatchString(message)
}

const maxMessage = 240

var reported = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(?:virt/)?tdx: |x86/(?:m?k?tme): |x86/cpu: SGX |SGX disabled |sgx: |SEV-SNP: |kvm_amd: SEV|SEV(?:-ES)?(?: and SEV-SNP)? supported: |` +
		`ccp [0-9a-f:.]{7,12}: SEV|AMD-Vi: (?:IOMMU )?SNP |(?:AMD-Vi: )?SNP: |` + MirroredPrefix + `|Memory failure: |soft offline: )[ -~]*$`)
})

// Messages lists the messages of the kernel's log that are Reported, without the head of a record or a time stamp, in the
// order of the log. Of an unusually long log it keeps the first of them.
func Messages(log string) []string {
	out := []string{}
	for line := range strings.Lines(log) {
		m := messageLine().FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m != nil && Reported(m[1]) && len(out) < maxMessages {
			out = append(out, m[1])
		}
	}
	return out
}

const maxMessages = 4096

// messageLine takes the text out of a record of the kernel's own facility, or a line of dmesg.
var messageLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[0-7],\d+,\d{1,18},[^;]*;|<[0-7]>)?(?:\[ *\d{1,10}\.\d{6}\](?:\[ *[TC]\d+\])? )?(.*)$`)
})
