package exporter

import (
	"bytes"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/memaudit/memaudit/internal/report/metrics"
)

// process says of the daemon itself what client_golang's collector says, by the
// same names, and leaves out what cannot be read. That collector reads all of
// /proc/stat at each scrape, a line a processor, for the time at which the process
// began.
func process(began time.Time) []metrics.Family {
	var all []metrics.Family
	add := func(name, help string, value float64) {
		all = append(all, metrics.Family{Name: "process_" + name, Help: help, Samples: []metrics.Sample{{Value: value}}})
	}
	var used unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &used) == nil {
		add("cpu_seconds_total", "Total user and system CPU time spent in seconds.",
			float64(used.Utime.Sec+used.Stime.Sec)+float64(used.Utime.Usec+used.Stime.Usec)/1e6)
	}
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) == nil {
		add("max_fds", "Maximum number of open file descriptors.", float64(limit.Cur))
	}
	if names, err := os.ReadDir("/proc/self/fd"); err == nil {
		add("open_fds", "Number of open file descriptors.", float64(len(names)-1)) // less the one that lists them
	}
	size, resident, ok := memory()
	if ok {
		add("resident_memory_bytes", "Resident memory size in bytes.", resident)
	}
	add("start_time_seconds", "Start time of the process since unix epoch in seconds.", float64(began.UnixNano())/1e9)
	if ok {
		add("virtual_memory_bytes", "Virtual memory size in bytes.", size)
	}
	return all
}

// memory is what this process has of it, in bytes: /proc/self/statm begins with
// the pages of its size and the resident ones (proc_pid_statm(5)).
func memory() (size, rss float64, ok bool) {
	data, _ := os.ReadFile("/proc/self/statm") // without a number in it where it cannot be read
	_, err := fmt.Fscan(bytes.NewReader(data), &size, &rss)
	page := float64(os.Getpagesize())
	return size * page, rss * page, err == nil
}
