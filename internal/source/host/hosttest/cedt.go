package hosttest

import "encoding/binary"

// CEDT is ACPI's CXL Early Discovery Table with one host bridge and windows of
// addresses, each its first address and its size (CXL Specification 3.0, 9.17.1).
func CEDT(windows ...[2]uint64) string {
	bridge := make([]byte, 32)
	binary.LittleEndian.PutUint16(bridge[2:], 32)
	records := bridge
	for _, w := range windows {
		record := make([]byte, 44)
		record[0] = 1
		binary.LittleEndian.PutUint16(record[2:], 44)
		binary.LittleEndian.PutUint64(record[8:], w[0])
		binary.LittleEndian.PutUint64(record[16:], w[1])
		record[24] = 1 // two interleaved targets
		records = append(records, record...)
	}
	header := make([]byte, 36)
	copy(header, "CEDT")
	binary.LittleEndian.PutUint32(header[4:], uint32(len(header)+len(records)))
	return string(append(header, records...))
}
