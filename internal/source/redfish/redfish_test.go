package redfish

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
)

const (
	user     = "auditor"
	password = "s3cr3t-pass-W0RD"
	token    = "t0k3n-0f-the-session"
)

// bmc is a test service: a tree of resources behind a session.
type bmc struct {
	*httptest.Server
	tree map[string]string
	// front may answer instead of the tree.
	front func(w http.ResponseWriter, r *http.Request) bool
	// sessions is false for a service that offers none.
	sessions bool

	mu       sync.Mutex
	requests []string
	open     int
}

// newBMC starts a service with the resources of one small machine.
func newBMC(t *testing.T) *bmc {
	t.Helper()
	b := &bmc{tree: machine(), sessions: true}
	b.Server = httptest.NewUnstartedServer(b)
	b.Config.ErrorLog = log.New(io.Discard, "", 0) // refused handshakes are what some tests want
	cert, err := valid()
	require.NoError(t, err)
	b.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
	b.StartTLS()
	t.Cleanup(b.Close)
	return b
}

func machine() map[string]string {
	return map[string]string{
		"/redfish/v1/": `{"RedfishVersion":"1.6.0","Systems":{"@odata.id":"/redfish/v1/Systems"},
			"Registries":{"@odata.id":"/redfish/v1/Registries"},
			"Links":{"Sessions":{"@odata.id":"/redfish/v1/SessionService/Sessions"}}}`,
		"/redfish/v1/Systems": `{"Members":[{"@odata.id":"/redfish/v1/Systems/FCH123456"}]}`,
		"/redfish/v1/Systems/FCH123456": `{"Manufacturer":"Example","Model":"Server 1","SerialNumber":"FCH123456",
			"UUID":"33221100-5544-7766-8899-aabbccddeeff","HostName":"node17",
			"Bios":{"@odata.id":"/redfish/v1/Systems/FCH123456/Bios"},
			"Memory":{"@odata.id":"/redfish/v1/Systems/FCH123456/Memory"}}`,
		"/redfish/v1/Systems/FCH123456/Bios": `{"AttributeRegistry":"BiosAttributeRegistry.v1_0_0","Attributes":{"NumaNodes":"4"},
			"@Redfish.Settings":{"SettingsObject":{"@odata.id":"/redfish/v1/Systems/FCH123456/Bios/Pending"}}}`,
		"/redfish/v1/Systems/FCH123456/Bios/Pending": `{"Attributes":{"NumaNodes":"1"}}`,
		"/redfish/v1/Systems/FCH123456/Memory": `{"Members":[{"@odata.id":"/redfish/v1/Systems/FCH123456/Memory/1"}],
			"Members@odata.nextLink":"/redfish/v1/Systems/FCH123456/Memory?$skip=1"}`,
		"/redfish/v1/Systems/FCH123456/Memory?$skip=1": `{"Members":[{"@odata.id":"/redfish/v1/Systems/FCH123456/Memory/2"}]}`,
		"/redfish/v1/Systems/FCH123456/Memory/1": `{"Id":"1","Name":"proc1dimm1","DeviceLocator":"PROC 1 DIMM 1","CapacityMiB":"16384",
			"OperatingSpeedMhz":3200,"RankCount":2,"MemoryDeviceType":"DDR4","Manufacturer":"Example","PartNumber":" EX-1 ",
			"SerialNumber":"DIMMSERIAL","Location":{"PartLocation":{"ServiceLabel":"PROC 1 DIMM 1"}},
			"Status":{"State":"Enabled","Health":"Critical"},
			"Metrics":{"@odata.id":"/redfish/v1/Systems/FCH123456/Memory/1/MemoryMetrics"}}`,
		"/redfish/v1/Systems/FCH123456/Memory/1/MemoryMetrics": `{"Id":"MemoryMetrics","CurrentPeriod":{"CorrectableECCErrorCount":17,"UncorrectableECCErrorCount":0},
			"LifeTime":{"CorrectableECCErrorCount":4000},"HealthData":{"AlarmTrips":{"CorrectableECCError":true,"UncorrectableECCError":false,"Temperature":true,"SpareBlock":null}}}`,
		"/redfish/v1/Systems/FCH123456/Memory/2": `{"Id":"2","DeviceLocator":"PROC 1 DIMM 2","CapacityMiB":null,"RankCount":[],"Status":{"State":"Absent"}}`,
		"/redfish/v1/Registries":                 `{"Members":[{"@odata.id":"/redfish/v1/Registries/Base.1"},{"@odata.id":"/redfish/v1/Registries/biosattributeregistry.v1_0_0/"}]}`,
		"/redfish/v1/Registries/biosattributeregistry.v1_0_0/": `{"Registry":"BiosAttributeRegistry.1.0.0","Location":[
			{"Language":"ja","Uri":"/registries/ja"},{"Language":"en","Uri":{"extref":"/registries/en"}}]}`,
		"/registries/en": `{"RegistryEntries":{"Attributes":[{"AttributeName":"NumaNodes"}]}}`,
	}
}

func (b *bmc) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.requests = append(b.requests, r.Method+" "+r.URL.RequestURI())
	if b.front != nil && b.front(w, r) {
		return
	}
	switch {
	case r.Method == http.MethodPost && b.sessions && strings.HasSuffix(r.URL.Path, "/Sessions"):
		b.login(w, r)
	case r.Method == http.MethodDelete && r.Header.Get("X-Auth-Token") == token:
		b.open--
		w.WriteHeader(http.StatusNoContent)
	case r.Method != http.MethodGet:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case r.URL.Path != rootPath && !b.known(r):
		w.WriteHeader(http.StatusUnauthorized)
	default:
		body, ok := b.tree[r.URL.RequestURI()]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = w.Write([]byte(body))
	}
}

func (b *bmc) known(r *http.Request) bool {
	u, p, ok := r.BasicAuth()
	return b.sessions && r.Header.Get("X-Auth-Token") == token || !b.sessions && ok && u == user && p == password
}

func (b *bmc) login(w http.ResponseWriter, r *http.Request) {
	var body struct{ UserName, Password string }
	if json.NewDecoder(r.Body).Decode(&body) != nil || body.UserName != user || body.Password != password {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	b.open++
	w.Header().Set("X-Auth-Token", token)
	// Its own view of its address, as behind a forwarded port.
	w.Header().Set("Location", "https://10.0.0.1/redfish/v1/SessionService/Sessions/77")
	w.WriteHeader(http.StatusCreated)
}

// options reach the service with the certificate verified.
func (b *bmc) options(t *testing.T) Options {
	t.Helper()
	base, err := ParseURL(b.URL)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(b.Certificate())
	return Options{Base: base, Username: user, Password: password, Roots: pool, Timeout: 10 * time.Second}
}

// ask reads the machine and checks what must be true of every answer.
func (b *bmc) ask(t *testing.T, change func(*Options)) *Answer {
	t.Helper()
	o := b.options(t)
	if change != nil {
		change(&o)
	}
	a := Read(context.Background(), o, Identity{Products: []string{"Server 1"}})
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.requests {
		method, path, _ := strings.Cut(r, " ")
		ok := method == http.MethodGet || strings.Contains(path, "/SessionService/Sessions")
		assert.True(t, ok, "only the session is ever written: %s", r)
	}
	assert.Zero(t, b.open, "a session stays open")
	silent(t, a)
	return a
}

// silent checks that no secret and no identifier is in an answer.
func silent(t *testing.T, a *Answer) {
	t.Helper()
	text := a.Detail() + a.Hint()
	for _, p := range a.Problems {
		text += p.Error()
	}
	for _, d := range a.DIMMs {
		text += fmt.Sprintf("%+v", d)
	}
	text += fmt.Sprintf("%+v %+v", a.Events, a.LogProblem)
	if a.BIOS != nil {
		text += a.BIOS.Path
	}
	for _, oneLine := range []string{password, token, "FCH123456", "33221100", "node17", "DIMMSERIAL"} {
		assert.NotContains(t, text, oneLine)
	}
}

func TestReadMachine(t *testing.T) {
	b := newBMC(t)
	a := b.ask(t, nil)
	require.NoError(t, a.Err())
	assert.Equal(t, fact.SourceOK, a.State())
	assert.Equal(t, "Server 1, known by its model", a.Detail())
	require.NotNil(t, a.BIOS)
	assert.JSONEq(t, b.tree["/redfish/v1/Systems/FCH123456/Bios"], string(a.BIOS.Resource))
	assert.JSONEq(t, `{"Attributes":{"NumaNodes":"1"}}`, string(a.BIOS.Settings))
	assert.JSONEq(t, `{"RegistryEntries":{"Attributes":[{"AttributeName":"NumaNodes"}]}}`, string(a.BIOS.Registry))
	assert.Equal(t, "/redfish/v1/Systems/ID/Bios", a.BIOS.Path)
	assert.Equal(t, []DIMM{
		{Path: "/redfish/v1/Systems/ID/Memory/1", Labels: [4]string{"PROC 1 DIMM 1", "PROC 1 DIMM 1", "proc1dimm1", "1"}, Installed: true, Known: true,
			Health: "Critical", Condition: "Enabled", SizeBytes: 16 << 30, SpeedMTs: 3200, Ranks: 2, Type: "DDR4", PartNumber: "EX-1",
			Counts: &Counts{Path: "/redfish/v1/Systems/ID/Memory/1/MemoryMetrics", Corrected: new(int64(17)), Uncorrected: new(int64(0)), Alarms: []string{"CorrectableECCError"}}},
		{Path: "/redfish/v1/Systems/ID/Memory/2", Labels: [4]string{"", "PROC 1 DIMM 2", "", "2"}, Known: true, Condition: "Absent"},
	}, a.DIMMs)
	assert.Equal(t, "DELETE /redfish/v1/SessionService/Sessions/77", b.requests[len(b.requests)-1])
}

// TestCounts checks that missing counts are unknown, never zero, and that a service without counts is asked only a
// few times and does not fail.
func TestCounts(t *testing.T) {
	const at = "/redfish/v1/Systems/FCH123456/Memory/1/MemoryMetrics"
	for name, c := range map[string]struct {
		body string
		want *Counts
	}{
		"nothing":    {`{}`, nil},
		"lifetime":   {`{"LifeTime":{"CorrectableECCErrorCount":9}}`, nil},
		"null":       {`{"CurrentPeriod":{"CorrectableECCErrorCount":null}}`, nil},
		"negative":   {`{"CurrentPeriod":{"CorrectableECCErrorCount":-1}}`, nil},
		"half":       {`{"CurrentPeriod":{"CorrectableECCErrorCount":0.5}}`, nil},
		"zero":       {`{"CurrentPeriod":{"CorrectableECCErrorCount":0}}`, &Counts{Corrected: new(int64(0))}},
		"no alarm":   {`{"HealthData":{"AlarmTrips":{"CorrectableECCError":false}}}`, &Counts{Alarms: []string{}}},
		"other word": {`{"HealthData":{"AlarmTrips":{"CorrectableECCError":"no"}}}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBMC(t)
			b.tree[at] = c.body
			a := b.ask(t, nil)
			require.NoError(t, a.Err())
			if c.want != nil {
				c.want.Path = "/redfish/v1/Systems/ID/Memory/1/MemoryMetrics"
			}
			assert.Equal(t, c.want, a.DIMMs[0].Counts)
		})
	}
	b := newBMC(t)
	delete(b.tree, at)
	var links []string
	for i := range 20 {
		path := fmt.Sprintf("/redfish/v1/Systems/FCH123456/Memory/m%d", i)
		b.tree[path] = strings.Replace(b.tree["/redfish/v1/Systems/FCH123456/Memory/1"], `"Id":"1"`, fmt.Sprintf(`"Id":"m%d"`, i), 1)
		links = append(links, `{"@odata.id":"`+path+`"}`)
	}
	b.tree["/redfish/v1/Systems/FCH123456/Memory"] = `{"Members":[` + strings.Join(links, ",") + `]}`
	a := b.ask(t, nil)
	require.NoError(t, a.Err())
	assert.Len(t, a.DIMMs, 20)
	asked := 0
	for _, r := range b.requests {
		if strings.HasSuffix(r, "/MemoryMetrics") {
			asked++
		}
	}
	assert.Equal(t, maxProblems, asked)
	assert.Contains(t, a.Detail(), "the service links to counts of memory errors and has none")
}

// TestBasic checks that user name and password are sent with the requests only if the service offers no session.
func TestBasic(t *testing.T) {
	b := newBMC(t)
	b.sessions = false
	b.tree[rootPath] = strings.ReplaceAll(b.tree[rootPath], "Sessions", "Nothing")
	a := b.ask(t, nil)
	require.NoError(t, a.Err())
	assert.Len(t, a.DIMMs, 2)
	a = b.ask(t, func(o *Options) { o.Password = "wrong-" + password })
	assert.Equal(t, fact.SourceDenied, a.State())

	b = newBMC(t)
	b.front = func(_ http.ResponseWriter, r *http.Request) bool {
		_, _, basic := r.BasicAuth()
		assert.False(t, basic, "a service with sessions gets no Basic")
		return false
	}
	require.NoError(t, b.ask(t, nil).Err())
}

// TestProblems checks that every failure has its own state and message, ends within its deadline, keeps what was read
// before, and closes the session.
func TestProblems(t *testing.T) {
	const bios, dimm = "/redfish/v1/Systems/FCH123456/Bios", "/redfish/v1/Systems/FCH123456/Memory/2"
	answer := func(path string, f func(w http.ResponseWriter)) func(*bmc) {
		return func(b *bmc) {
			b.front = func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method == http.MethodGet && r.URL.Path == path {
					f(w)
					return true
				}
				return false
			}
		}
	}
	status := func(path string, code int) func(*bmc) {
		return answer(path, func(w http.ResponseWriter) { w.WriteHeader(code) })
	}
	redirect := func(path, to string) func(*bmc) {
		return answer(path, func(w http.ResponseWriter) {
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusTemporaryRedirect)
		})
	}
	cases := map[string]struct {
		change func(*bmc)
		option func(*Options)
		state  fact.SourceState
		says   string
		dimms  int
	}{
		"wrong password":  {option: func(o *Options) { o.Password += "x" }, state: fact.SourceDenied, says: "does not accept user name and password"},
		"forbidden":       {change: status("/redfish/v1/Systems", 403), state: fact.SourceDenied, says: "may not read"},
		"unknown ca":      {option: func(o *Options) { o.Roots = x509.NewCertPool() }, state: fact.SourceRefused, says: "not signed by a trusted CA"},
		"no service":      {change: status(rootPath, 404), state: fact.SourceAbsent, says: "no such resource"},
		"a web page":      {change: answer(rootPath, func(w http.ResponseWriter) { _, _ = w.Write([]byte("<html>")) }), state: fact.SourceMalformed, says: "not a JSON object"},
		"no root":         {change: answer(rootPath, func(w http.ResponseWriter) { _, _ = w.Write([]byte("{}")) }), state: fact.SourceMalformed, says: "not a Redfish service root"},
		"cut JSON":        {change: answer(bios, func(w http.ResponseWriter) { _, _ = w.Write([]byte(`{"Attributes":{"A":`)) }), state: fact.SourcePartial, says: "inside its JSON", dimms: 2},
		"bad JSON":        {change: answer(bios, func(w http.ResponseWriter) { _, _ = w.Write([]byte(`{"Attributes":nonsense}`)) }), state: fact.SourcePartial, says: "not JSON from byte", dimms: 2},
		"short body":      {change: answer(bios, short), state: fact.SourcePartial, says: "before it is whole", dimms: 2},
		"10 MB":           {change: answer(bios, tenMegabytes(true)), state: fact.SourcePartial, says: "has 10000000 bytes, more than", dimms: 2},
		"10 MB unsaid":    {change: answer(bios, tenMegabytes(false)), state: fact.SourcePartial, says: "longer than the 2097152 bytes", dimms: 2},
		"another host":    {change: redirect(bios, "https://evil.example/redfish/v1/"), state: fact.SourcePartial, says: "redirected to another host (evil.example)", dimms: 2},
		"down to http":    {change: redirect(bios, "http://127.0.0.1/redfish/v1/"), state: fact.SourcePartial, says: "redirected to another host", dimms: 2},
		"round and round": {change: redirect(bios, bios), state: fact.SourcePartial, says: "redirected more than 3 times", dimms: 2},
		"login elsewhere": {change: func(b *bmc) {
			b.front = func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method == http.MethodPost {
					w.Header().Set("Location", "/elsewhere")
					w.WriteHeader(http.StatusTemporaryRedirect)
				}
				return r.Method == http.MethodPost
			}
		}, state: fact.SourceRefused, says: "a POST was redirected"},
		"a link away": {change: func(b *bmc) {
			b.tree["/redfish/v1/Systems"] = `{"Members":[{"@odata.id":"https://evil.example/redfish/v1/Systems/1"}]}`
		}, state: fact.SourceRefused, says: "leads to another host (evil.example)"},
		"hung":        {change: answer(dimm, hang), option: func(o *Options) { o.Timeout = 300 * time.Millisecond }, state: fact.SourcePartial, says: "not done within the 300ms", dimms: 1},
		"server says": {change: status(bios, 500), state: fact.SourcePartial, says: "500 Internal Server Error", dimms: 2},
		"busy": {change: answer(bios, func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(503)
		}), state: fact.SourceRefused, says: "asks to wait 1h0m0s, longer than the deadline leaves"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b := newBMC(t)
			if c.change != nil {
				c.change(b)
			}
			start := time.Now()
			a := b.ask(t, c.option)
			require.Error(t, a.Err())
			assert.Equal(t, c.state, a.State(), a.Err())
			assert.Contains(t, a.Err().Error(), c.says)
			assert.Len(t, a.DIMMs, c.dimms)
			assert.Less(t, time.Since(start), 5*time.Second)
		})
	}
}

func short(w http.ResponseWriter) {
	w.Header().Set("Content-Length", "1000")
	_, _ = w.Write([]byte(`{"Attributes":{}`))
}

func hang(http.ResponseWriter) { time.Sleep(600 * time.Millisecond) }

// tenMegabytes is a valid resource of that length.
func tenMegabytes(announced bool) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		const head, tail = `{"Attributes":{"A":"`, `"}}`
		if announced {
			w.Header().Set("Content-Length", "10000000")
		}
		_, _ = w.Write([]byte(head))
		block := []byte(strings.Repeat("a", 100))
		for range (10000000 - len(head) - len(tail)) / len(block) {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
		_, _ = w.Write([]byte(tail))
	}
}

// TestNeverElsewhere checks that another host named by a redirect or a link gets no request, so that neither password
// nor token can reach it.
func TestNeverElsewhere(t *testing.T) {
	asked := 0
	elsewhere := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer elsewhere.Close()
	for _, path := range []string{rootPath, "/redfish/v1/SessionService/Sessions", "/redfish/v1/Systems", "/redfish/v1/Systems/FCH123456/Bios"} {
		b := newBMC(t)
		b.front = func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == path {
				http.Redirect(w, r, elsewhere.URL+path, http.StatusTemporaryRedirect)
			}
			return r.URL.Path == path
		}
		a := b.ask(t, func(o *Options) { o.Insecure = true })
		require.Error(t, a.Err(), path)
		assert.Contains(t, a.Err().Error(), "redirected to another host", path)
	}
	b := newBMC(t)
	b.tree["/redfish/v1/Systems/FCH123456"] = strings.ReplaceAll(b.tree["/redfish/v1/Systems/FCH123456"], `"/redfish`, `"`+elsewhere.URL+`/redfish`)
	a := b.ask(t, nil)
	require.Error(t, a.Err())
	assert.Contains(t, a.Err().Error(), "leads to another host")
	assert.Zero(t, asked, "another host was asked")
}

// TestRetry checks that a busy service is asked again after the delay it requests.
func TestRetry(t *testing.T) {
	b := newBMC(t)
	left := 2
	b.front = func(w http.ResponseWriter, r *http.Request) bool {
		if left > 0 && strings.HasSuffix(r.URL.Path, "/Bios") {
			left--
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}
		return false
	}
	o := b.options(t)
	o.Timeout = time.Minute
	c := newClient(o)
	defer c.close()
	var waited []time.Duration
	c.sleep = func(_ context.Context, d time.Duration) error { waited = append(waited, d); return nil }
	a := c.readService(context.Background(), Identity{})
	require.NoError(t, a.Err())
	assert.Equal(t, []time.Duration{7 * time.Second, 7 * time.Second}, waited)

	left = 100
	waited = nil
	a = c.readService(context.Background(), Identity{})
	require.Error(t, a.Err())
	assert.Contains(t, a.Err().Error(), "busy (503), also when asked 3 times more")
	assert.Len(t, waited, 3)
}

// TestExpired checks that an expired certificate is reported with its dates.
func TestExpired(t *testing.T) {
	b := newBMC(t)
	cert, err := issued(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC))
	require.NoError(t, err)
	leaf, err := x509.ParseCertificate(cert.Certificate[0])
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	b.TLS.Certificates = []tls.Certificate{cert}
	a := b.ask(t, func(o *Options) { o.Roots = pool })
	assert.Equal(t, fact.SourceRefused, a.State())
	assert.Contains(t, a.Err().Error(), "is valid from 2020-01-01 to 2021-01-01, not now")
	a = b.ask(t, func(o *Options) { o.Roots, o.Insecure = pool, true })
	require.NoError(t, a.Err())
	assert.Contains(t, a.Detail(), "CERTIFICATE NOT VERIFIED")
}

// TestInterrupted checks that the session is closed when the operator interrupts the read.
func TestInterrupted(t *testing.T) {
	b := newBMC(t)
	ctx, cancel := context.WithCancel(context.Background())
	b.front = func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/Memory") {
			cancel()
		}
		return false
	}
	a := Read(ctx, b.options(t), Identity{})
	require.Error(t, a.Err())
	assert.Contains(t, a.Err().Error(), "interrupted")
	assert.Equal(t, fact.SourcePartial, a.State(), "the BIOS settings were read before")
	b.mu.Lock()
	defer b.mu.Unlock()
	assert.Zero(t, b.open)
}

// TestMemoryLocation checks the location in the service's own numbers, and that it is unknown if it names no channel.
func TestMemoryLocation(t *testing.T) {
	for _, c := range []struct {
		name, raw string
		want      *Location
	}{
		{"whole", `{"Socket":1,"MemoryController":0,"Channel":3,"Slot":17}`, &Location{1, 0, 3, 17}},
		{"without a controller", `{"Socket":0,"Channel":0,"Slot":0}`, &Location{0, -1, 0, 0}},
		{"as texts", `{"Socket":"1","Channel":"2"}`, &Location{1, -1, 2, -1}},
		{"without a channel", `{"Socket":0,"Slot":4}`, nil},
		{"without a socket", `{"Channel":1}`, nil},
		{"no number", `{"Socket":0,"Channel":"A"}`, nil},
		{"below zero", `{"Socket":0,"Channel":-1}`, nil},
		{"a fraction", `{"Socket":0,"Channel":1.5}`, nil},
		{"the highest number", `{"Socket":0,"Channel":256,"Slot":257}`, &Location{0, -1, 256, -1}},
		{"beyond any machine", `{"Socket":0,"Channel":100000}`, nil},
		{"empty", `{}`, nil},
		{"null", `null`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var m memoryResource
			require.NoError(t, json.Unmarshal([]byte(`{"Id":"1","CapacityMiB":1024,"MemoryLocation":`+c.raw+`}`), &m))
			d := (&client{}).buildDIMM("/redfish/v1/Systems/1/Memory/1", &m)
			assert.Equal(t, c.want, d.Location)
		})
	}
}
