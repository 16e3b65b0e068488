package exporter

import (
	"bytes"
	"os"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sys/unix"
)

// process is the daemon about itself, by the names of client_golang's collector
// and every exporter. That one reads all of /proc/stat at each scrape, a line a
// processor, for the time at which this process began.
type process struct {
	// began is in seconds since 1970.
	began                             float64
	cpu, rss, size, open, most, start *prometheus.Desc
}

// newProcess describes a process that began at a time.
func newProcess(began time.Time) *process {
	desc := func(name, help string) *prometheus.Desc { return prometheus.NewDesc("process_"+name, help, nil, nil) }
	return &process{
		began: float64(began.UnixNano()) / 1e9,
		cpu:   desc("cpu_seconds_total", "Total user and system CPU time spent in seconds."),
		rss:   desc("resident_memory_bytes", "Resident memory size in bytes."),
		size:  desc("virtual_memory_bytes", "Virtual memory size in bytes."),
		open:  desc("open_fds", "Number of open file descriptors."),
		most:  desc("max_fds", "Maximum number of open file descriptors."),
		start: desc("start_time_seconds", "Start time of the process since unix epoch in seconds."),
	}
}

// Describe sends what Collect may send.
func (p *process) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{p.cpu, p.rss, p.size, p.open, p.most, p.start} {
		to <- d
	}
}

// Collect sends what can be read and leaves out the rest.
func (p *process) Collect(to chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64) { to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v) }
	gauge(p.start, p.began)
	var used unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &used) == nil {
		seconds := float64(used.Utime.Sec+used.Stime.Sec) + float64(used.Utime.Usec+used.Stime.Usec)/1e6
		to <- prometheus.MustNewConstMetric(p.cpu, prometheus.CounterValue, seconds)
	}
	if size, rss, ok := memory(); ok {
		gauge(p.size, size)
		gauge(p.rss, rss)
	}
	if names, err := os.ReadDir("/proc/self/fd"); err == nil {
		gauge(p.open, float64(len(names)-1)) // less the one that lists them
	}
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) == nil {
		gauge(p.most, float64(limit.Cur))
	}
}

// memory is what this process has of it, in bytes: /proc/self/statm begins with
// the pages of its size and the resident ones (proc_pid_statm(5)).
func memory() (size, rss float64, ok bool) {
	data, err := os.ReadFile("/proc/self/statm")
	fields := bytes.Fields(data)
	if err != nil || len(fields) < 2 {
		return 0, 0, false
	}
	size, sizeErr := strconv.ParseFloat(string(fields[0]), 64)
	rss, rssErr := strconv.ParseFloat(string(fields[1]), 64)
	page := float64(os.Getpagesize())
	return size * page, rss * page, sizeErr == nil && rssErr == nil
}
