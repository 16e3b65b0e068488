package exporter

import (
	"bytes"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/memaudit/memaudit/internal/report/metrics"
)

// process returns the metrics about the daemon's own process that client_golang's collector
// provides, under the same names; those that cannot be read are left out. That collector reads all
// of /proc/stat at each scrape, one line for each processor, to learn when the process started.
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
		add("open_fds", "Number of open file descriptors.", float64(len(names)-1)) // without the one that is open for this listing
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

// memory returns the virtual and resident size of this process in bytes. /proc/self/statm starts
// with these sizes in pages (proc_pid_statm(5)).
func memory() (size, rss float64, ok bool) {
	data, _ := os.ReadFile("/proc/self/statm") // if it cannot be read, Fscan finds no number
	_, err := fmt.Fscan(bytes.NewReader(data), &size, &rss)
	page := float64(os.Getpagesize())
	return size * page, rss * page, err == nil
}
