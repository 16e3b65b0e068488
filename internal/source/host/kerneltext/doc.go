// Package kerneltext decodes the text forms in which the kernel answers: lists
// and masks of CPUs, sizes, /proc/cpuinfo, /proc/meminfo, the command line and
// the log. It takes bytes that somebody else read and knows no file and no
// machine.
package kerneltext
