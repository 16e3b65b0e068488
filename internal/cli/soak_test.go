//go:build soak

package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/serve/exporter"
	"github.com/memaudit/memaudit/internal/source/host/hosttest"
	"github.com/memaudit/memaudit/internal/source/smbios/smbiostest"
	"github.com/memaudit/memaudit/internal/tools/machinetest"
)

const (
	soakAudits  = 1_000
	soakScrapes = 10_000
)

// TestSoak scrapes a machine of 32 slots while its files change, vanish and become unreadable during the audits. No
// scrape fails or sees half an audit, and neither goroutines nor memory grow.
func TestSoak(t *testing.T) {
	m := milan(32, 4)
	root := filepath.Join(t.TempDir(), "m")
	require.NoError(t, os.Mkdir(root, 0o755))
	tree := m.Tree()
	tree.WriteTo(t, root)
	a := newAuditor(t, root, "")
	a.f.interval = time.Millisecond
	audits, failures := &atomic.Int64{}, &atomic.Int64{}
	quiet := &sync.RWMutex{} // held while the figures are taken
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	require.NoError(t, l.Close())
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- exporter.Serve(ctx, exporter.Config{Settle: time.Millisecond, Log: slog.New(slog.DiscardHandler),
			Web: exporter.WebOptions{Addresses: []string{address}, MetricsPath: "/metrics"},
			Audit: func(ctx context.Context, reload bool) exporter.Outcome {
				quiet.RLock()
				defer quiet.RUnlock()
				out := a.audit(ctx, reload)
				audits.Add(1)
				if out.Err != nil {
					failures.Add(1)
				}
				return out
			}})
	}()
	require.Eventually(t, func() bool {
		return audits.Load() > 0 && scrape(http.DefaultClient, "http://"+address+"/-/ready") != ""
	}, 20*time.Second, 10*time.Millisecond)
	var work sync.WaitGroup
	spoiling, spoiled := context.WithCancel(ctx)
	work.Go(func() { spoil(spoiling, t, root, tree) })
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}}
	scraped := soakScraping(t, &work, quiet, client, "http://"+address)
	figures := func(most int64) (routines int, heap uint64) {
		for audits.Load() < most || scraped.Load() < most*soakScrapes/soakAudits {
			time.Sleep(10 * time.Millisecond)
		}
		quiet.Lock()
		defer quiet.Unlock()
		client.CloseIdleConnections()
		time.Sleep(200 * time.Millisecond)
		return runtime.NumGoroutine(), heapInUse()
	}
	routines, heap := figures(soakAudits / 10)
	routinesAfter, heapAfter := figures(soakAudits)
	spoiled()
	work.Wait()
	stop()
	require.NoError(t, <-ended)
	t.Logf("%d audits (%d failed), %d scrapes; goroutines %d then %d; heap %.1f MB then %.1f MB", audits.Load(), failures.Load(),
		scraped.Load(), routines, routinesAfter, float64(heap)/1e6, float64(heapAfter)/1e6)
	assert.Positive(t, failures.Load(), "some audits fail, or nothing was denied")
	assert.LessOrEqual(t, routinesAfter, routines)
	assert.Less(t, float64(heapAfter), float64(heap)+1e6)
}

// scrape fetches a page, "" when that fails.
func scrape(client *http.Client, url string) string {
	r, err := client.Get(url)
	if err != nil {
		return ""
	}
	defer func() { _ = r.Body.Close() }()
	data, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		return ""
	}
	return string(data)
}

// soakScraping scrapes from four sides and checks every page against itself.
func soakScraping(t *testing.T, work *sync.WaitGroup, quiet *sync.RWMutex, client *http.Client, base string) *atomic.Int64 {
	scraped := &atomic.Int64{}
	want := rulesIn(scrape(client, base+"/metrics"))
	require.Positive(t, want)
	for range 4 {
		work.Go(func() {
			for scraped.Load() < soakScrapes {
				quiet.RLock()
				page := scrape(client, base+"/metrics")
				quiet.RUnlock()
				scraped.Add(1)
				if !strings.Contains(page, "\nmemaudit_audit_timestamp_seconds ") || rulesIn(page) != want {
					t.Errorf("half an audit: %d rules in %d bytes", rulesIn(page), len(page))
					return
				}
			}
		})
	}
	return scraped
}

// rulesIn adds the rules of all results.
func rulesIn(page string) (sum int) {
	for {
		_, rest, ok := strings.Cut(page, "\nmemaudit_rules{")
		if !ok {
			return sum
		}
		_, value, _ := strings.Cut(rest, "} ")
		digits, after, _ := strings.Cut(value, "\n")
		n, _ := strconv.Atoi(digits)
		sum, page = sum+n, "\n"+after
	}
}

// heapInUse is the reachable memory. Memory in pools (compressors of answers, 0.8 MB each) outlives one collection
// and is not growth.
func heapInUse() uint64 {
	var m runtime.MemStats
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// spoil changes the machine during the audits until stopped: files are truncated, filled with noise, replaced by
// folders, removed and restored, and sometimes the complete tree is.
func spoil(ctx context.Context, t *testing.T, root string, tree map[string]string) {
	names := []string{"sys/firmware/dmi/tables/DMI", "proc/cpuinfo", "proc/meminfo", "sys/devices/system/node/node1/meminfo",
		"sys/devices/system/node/online", "sys/devices/system/node/node3/distance", "sys/devices/system/cpu/online"}
	for n := 0; ctx.Err() == nil; n++ {
		name := names[n%len(names)]
		file, text := filepath.Join(root, name), tree[name]
		_ = os.RemoveAll(file)
		switch n / len(names) % 6 {
		case 0: // gone
		case 1:
			_ = os.WriteFile(file, []byte(text[:len(text)/2]), 0o600)
		case 2:
			_ = os.WriteFile(file, bytes.Repeat([]byte{0xff, 0x00, 'x', '\n'}, 5000), 0o600)
		case 3:
			_ = os.Mkdir(file, 0o755)
		case 4:
			_ = os.Symlink("/etc/shadow", file)
		case 5:
			_ = os.WriteFile(file, []byte(text), 0o000)
		}
		time.Sleep(3 * time.Millisecond)
		_ = os.RemoveAll(file)
		_ = os.WriteFile(file, []byte(text), 0o600)
		if n%50 == 49 {
			_ = os.Rename(root, root+".gone")
			time.Sleep(20 * time.Millisecond)
			if err := os.Rename(root+".gone", root); err != nil {
				t.Error(err)
				return
			}
		}
	}
}

// milan is a server of two EPYC 7543 with one or two modules a channel, that
// shows nodes nodes a processor.
func milan(modules, nodes int) machinetest.Machine {
	const brand = "AMD EPYC 7543 32-Core Processor"
	b := smbiostest.New(3, 3)
	b.BIOS(smbiostest.BIOS{Vendor: "HPE", Version: "A42", Date: "02/14/2022"})
	b.System(smbiostest.System{Manufacturer: "HPE", Product: "ProLiant DL385 Gen10 Plus v2"})
	b.Board(smbiostest.Board{Manufacturer: "HPE", Product: "ProLiant DL385 Gen10 Plus v2"})
	for n := 1; n <= 2; n++ {
		b.CPU(smbiostest.CPU{Socket: fmt.Sprintf("Proc %d", n), Manufacturer: "Advanced Micro Devices, Inc.", Version: brand, Family: 0x6B, ID: machinetest.Signature(25, 1, 1),
			Cores: 32, Enabled: 32, Threads: 32, Upgrade: 0x37, Characteristics: 0xFC})
	}
	array := b.Array(smbiostest.Array{Devices: 32, MaxBytes: 4 << 40})
	for p := 1; p <= 2; p++ {
		for n := 1; n <= 16; n++ {
			d := smbiostest.DIMM{Array: array, Locator: fmt.Sprintf("PROC %d DIMM %d", p, n)}
			if modules == 32 || n%2 == 0 {
				d.Bytes, d.Speed, d.Configured, d.Rank, d.Manufacturer, d.Part = 32<<30, 3200, 3200, 2, "HPE", "P06189-001"
				d.MinMV, d.MaxMV, d.ConfiguredMV = 1200, 1200, 1200
			}
			b.MemoryDevice(d)
		}
	}
	return machinetest.Machine{Name: "milan", Table: b, CPUID: [3]int{25, 1, 1},
		Host: hosttest.Machine{Sockets: 2, NodesPerSocket: nodes, CoresPerSocket: nodes, ThreadsPerCore: 1, L3PerSocket: nodes,
			NodeMiB: modules * 32 << 10 / 2 / nodes, Vendor: "AuthenticAMD", Brand: brand, Policies: true},
		Files: machinetest.DMI("HPE", "ProLiant DL385 Gen10 Plus v2", "A42")}
}
