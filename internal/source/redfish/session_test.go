package redfish

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestOnlySessionsAreDeleted checks that only members of the sessions collection are deleted, whatever a service
// calls its new session.
func TestOnlySessionsAreDeleted(t *testing.T) {
	for location, deleted := range map[string]bool{
		"/redfish/v1/SessionService/Sessions/77":                                                  true,
		"/redfish/v1/SessionService/Sessions/77/":                                                 true,
		"/redfish/v1/Sessions/77":                                                                 true,
		"https://10.0.0.1:8443/redfish/v1/SessionService/Sessions/admin%40dom":                    true,
		"/redfish/v1/Systems/FCH123456":                                                           false,
		"/redfish/v1/AccountService/Accounts/2":                                                   false,
		"/redfish/v1/SessionService/Sessions":                                                     false,
		"/redfish/v1/SessionService/Sessions/":                                                    false,
		"/redfish/v1/SessionService/Sessions/../../Systems/FCH123456":                             false,
		"/redfish/v1/SessionService/Sessions/..%2f..%2fSystems%2fFCH123456":                       false,
		"/redfish/v1/SessionService/Sessions/%252e%252e":                                          false,
		"/redfish/v1/SessionService/Sessions/77/Actions":                                          false,
		"/redfish/v1/SessionService/Sessions/..":                                                  false,
		"/redfish/v1/EventService/Subscriptions/Sessions":                                         false,
		"/redfish/v1/SessionService/Sessions//77":                                                 false,
		"https://evil.example/redfish/v1/Chassis/1?x=/redfish/v1/SessionService/Sessions/77":      false,
		"https://evil.example/redfish/v1/SessionService/Sessions/77/../../../Managers/1/LogServi": false,
	} {
		b := newBMC(t)
		b.front = func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodPost {
				w.Header()["Location"] = []string{location}
				w.Header().Set("X-Auth-Token", token)
				w.WriteHeader(http.StatusCreated)
			}
			return r.Method == http.MethodPost
		}
		a := Read(t.Context(), b.options(t), Identity{Products: []string{"Server 1"}})
		require.NoError(t, a.Err(), location)
		var sent []string
		for _, r := range b.requests {
			if strings.HasPrefix(r, "DELETE ") {
				sent = append(sent, r)
			}
		}
		assert.Equal(t, deleted, len(sent) == 1, "%s: %v", location, sent)
		assert.Equal(t, deleted, !strings.Contains(a.Detail(), "stays open until it times out"), location)
	}
}
