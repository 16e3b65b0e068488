//go:build !js

package redfish

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
)

// serviceRoot is the resource /redfish/v1/ (DSP2046 ServiceRoot).
type serviceRoot struct {
	Systems        resourceLink `json:"Systems"`
	Registries     resourceLink `json:"Registries"`
	SessionService resourceLink `json:"SessionService"`
	Links          struct{ Sessions resourceLink }
	// Features lists the query parameters that the service supports (DSP0266).
	Features struct {
		Expand struct{ NoLinks, Levels bool } `json:"ExpandQuery"`
	} `json:"ProtocolFeaturesSupported"`
}

const rootPath = "/redfish/v1/"

// openSession opens a session. Basic authentication, which sends the password with every request, is used
// only if the service offers no sessions.
func (c *client) openSession(ctx context.Context, root *serviceRoot) *Problem {
	if c.basic {
		return nil
	}
	at := root.Links.Sessions.targetPath()
	if at == "" && root.SessionService.targetPath() != "" {
		at = strings.TrimSuffix(root.SessionService.targetPath(), "/") + "/Sessions"
	}
	if at == "" {
		c.basic = true
		return nil
	}
	body, err := json.Marshal(map[string]string{"UserName": c.o.Username, "Password": c.o.Password})
	if err != nil {
		return newProblem(fact.SourceMalformed, "login", "user name and password are not text")
	}
	r, p := c.sendRequest(ctx, http.MethodPost, at, body, maxAnswer)
	if p != nil {
		return p
	}
	c.token = r.header.Get("X-Auth-Token")
	p = refusalProblem("login at POST "+printablePath(at), r)
	switch {
	case p == nil && c.token != "":
		c.session = ownSession(c.sessionPath(r), root.sessionCollections(at))
		return nil
	case p == nil, r.status == http.StatusNotFound, r.status == http.StatusMethodNotAllowed, r.status == http.StatusNotImplemented:
		// The service has a collection of sessions but does not open one.
		c.token, c.basic = "", true
		return nil
	default:
		return p
	}
}

// sessionPath returns the path at which the new session can be deleted. Only the path counts: a
// controller that is reached by another name puts its own address before it.
func (c *client) sessionPath(r *httpReply) string {
	if u, err := url.Parse(r.header.Get("Location")); err == nil && strings.HasPrefix(u.Path, "/") {
		return u.EscapedPath()
	}
	var body struct {
		ID string `json:"@odata.id"`
	}
	if c.decodeReply("", r, &body) == nil && strings.HasPrefix(body.ID, "/") {
		return body.ID
	}
	return ""
}

// sessionCollections returns the collections in which the service may keep sessions: the one used for login, the one of its
// session service, the place given in DSP0266 ("Session login"), and that of older controllers.
func (r *serviceRoot) sessionCollections(at string) []string {
	all := []string{rootPath + "SessionService/Sessions", rootPath + "Sessions"}
	for _, name := range []string{at, r.SessionService.targetPath() + "/Sessions"} {
		if u, err := url.Parse(name); err == nil && strings.EqualFold(path.Base(u.Path), "Sessions") {
			all = append(all, path.Clean(u.Path))
		}
	}
	return all
}

// ownSession returns the path if it is a member of one of these collections, otherwise "". This ensures that
// only a session is ever deleted.
func ownSession(at string, collections []string) string {
	name, err := url.PathUnescape(at)
	if err != nil || strings.ContainsAny(name, "?#%\\") {
		return ""
	}
	folder, id := path.Split(strings.TrimSuffix(name, "/"))
	if id == "" || path.Clean(name) != strings.TrimSuffix(name, "/") || !slices.Contains(collections, strings.TrimSuffix(folder, "/")) {
		return ""
	}
	return at
}

// The session is closed even if the reading failed or its time is over. The text is why it could not, "" for success.
func (c *client) closeSession(ctx context.Context) string {
	if c.token == "" {
		return ""
	}
	if c.session == "" {
		return "the service did not name a session of its own to end: it stays open until it times out"
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), logoutTimeout)
	defer cancel()
	r, p := c.sendRequest(ctx, http.MethodDelete, c.session, nil, maxAnswer)
	if p == nil && r.status != http.StatusNotFound {
		p = refusalProblem("DELETE", r)
	}
	if p != nil {
		return "the session could not be closed and stays open until it times out"
	}
	c.token = ""
	return ""
}
