//go:build !js

package redfish

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
)

// biosResource holds the properties of Bios (DSP2046) that link to other resources.
type biosResource struct {
	Registry string          `json:"AttributeRegistry"`
	Content  json.RawMessage `json:"Attributes"`
	Settings struct {
		Object resourceLink `json:"SettingsObject"`
	} `json:"@Redfish.Settings"`
	// Type and Links are those of iLO 4's HpBios, which has the attributes as properties of the resource and
	// its link to the settings object here.
	Type  string `json:"@odata.type"`
	Links struct{ Settings resourceLink }
}

// readBIOS returns the name of the registry. It is not an error if the service has no such resource.
func (c *client) readBIOS(ctx context.Context, at string, a *Answer) (string, *Problem) {
	var head biosResource
	body, p := c.getResource(ctx, at, maxAnswer, &head)
	if p != nil {
		return "", a.noteIfAbsent(p, "the service offers no BIOS settings")
	}
	if (len(head.Content) == 0 || string(head.Content) == "null") && !strings.Contains(head.Type, "HpBios.") {
		a.recordNote("the service's BIOS resource holds no attributes")
		return "", nil
	}
	a.BIOS = &BIOS{Resource: body, Path: printablePath(at)}
	if strings.Contains(at, "System.Embedded") {
		a.BIOS.JobWaits = c.dellJobWaits(ctx, a)
	}
	pending := cmp.Or(head.Settings.Object.targetPath(), head.Links.Settings.targetPath())
	if pending == "" {
		a.recordNote("the service names no settings object: what waits for the next boot is not known")
		return head.Registry, nil
	}
	body, p = c.getResource(ctx, pending, maxAnswer, &biosResource{})
	if p != nil {
		return head.Registry, a.noteIfAbsent(p, "the settings object is not there: what waits for the next boot is not known")
	}
	a.BIOS.Settings = body
	return head.Registry, nil
}

const dellJobs = "/redfish/v1/Managers/iDRAC.Embedded.1/Jobs?$expand=*($levels=1)"

// dellJobWaits reports whether a job that changes BIOS settings has not run yet. It is false if the queue
// cannot be read, or lists jobs by their links alone, as services without $expand do.
func (c *client) dellJobWaits(ctx context.Context, a *Answer) bool {
	type job struct{ JobType, JobState string }
	queue, p := readPages[job](ctx, c, dellJobs)
	waits := slices.ContainsFunc(queue, func(j job) bool {
		return j.JobType == "BIOSConfiguration" && slices.Contains([]string{"New", "Scheduled", "Scheduling", "ReadyForExecution", "Waiting", "Running", "Pending", "Paused", "PendingActivation"}, j.JobState)
	})
	if p != nil || !waits && slices.Contains(queue, job{}) {
		a.recordNote("the job queue was not read: whether a change of BIOS settings waits for the next boot is not known")
	}
	return waits
}

// registryFile is a MessageRegistryFile (DSP2046), or the registry itself, which some services send in its place.
type registryFile struct {
	Registry string
	Location []struct {
		Language string
		// Uri is a path; in early services it is an object.
		URI json.RawMessage `json:"Uri"`
	}
	Entries struct{ Attributes json.RawMessage } `json:"RegistryEntries"`
	// Attributes is used by registries without RegistryEntries.
	Attributes json.RawMessage
}

// hasAttributes reports whether the registry has attributes. Before the host's first start it may have none.
func (f *registryFile) hasAttributes() bool {
	filled := func(list json.RawMessage) bool {
		return len(list) > 2 && list[0] == '[' && len(bytes.TrimSpace(list[1:])) > 1
	}
	return filled(f.Entries.Attributes) || filled(f.Attributes)
}

// readRegistry reads the attribute registry that the settings name into a, unless KnownRegistry has it.
func (c *client) readRegistry(ctx context.Context, root *serviceRoot, name string, a *Answer) *Problem {
	if name == "" {
		return nil
	}
	a.BIOS.RegistryName = name
	if c.o.KnownRegistry != nil {
		a.BIOS.Registry = c.o.KnownRegistry(name)
	}
	if a.BIOS.Registry != nil {
		return nil
	}
	if root.Registries.targetPath() == "" {
		a.recordNote("the service offers no attribute registry")
		return nil
	}
	list, p := c.memberPaths(ctx, root.Registries.targetPath())
	if p != nil {
		return a.noteIfAbsent(p, "the service offers no attribute registry")
	}
	at := registryPath(list, name)
	if at == "" {
		a.recordNote("the attribute registry is not among those of the service")
		return nil
	}
	var file registryFile
	body, p := c.getResource(ctx, at, maxRegistry, &file)
	if p != nil {
		return a.noteIfAbsent(p, "the attribute registry is not there")
	}
	if file.hasAttributes() {
		a.BIOS.Registry = body
		return nil
	}
	if file.Registry != "" && !strings.EqualFold(registryStem(file.Registry), registryStem(name)) {
		a.recordNote("the service lists another attribute registry than its settings name")
		return nil
	}
	uri := file.locationPath()
	if uri == "" {
		a.recordNote("the service does not say where its attribute registry is")
		return nil
	}
	var registry registryFile
	if body, p = c.getResource(ctx, uri, maxRegistry, &registry); p != nil {
		return a.noteIfAbsent(p, "the attribute registry is not there")
	}
	if !registry.hasAttributes() {
		a.recordNote("the attribute registry holds no attributes")
		return nil
	}
	a.BIOS.Registry = body
	return nil
}

// registryPath returns the path of the registry with this name, "" if there is none. It compares the last part of
// each path with the complete name, then without the version.
func registryPath(list []string, name string) string {
	last := func(path string) string { return strings.TrimSuffix(strings.ToLower(lastSegment(path)), ".json") }
	for _, form := range []func(string) string{last, func(at string) string { return registryStem(last(at)) }} {
		if i := slices.IndexFunc(list, func(at string) bool { return form(at) == form(name) }); i >= 0 {
			return list[i]
		}
	}
	return ""
}

func registryStem(name string) string {
	name, _, _ = strings.Cut(name, ".")
	return name
}

func (f *registryFile) locationPath() string {
	first := ""
	for _, l := range f.Location {
		var path string
		var old struct {
			Ref string `json:"extref"`
			ID  string `json:"@odata.id"`
		}
		if json.Unmarshal(l.URI, &path) != nil && json.Unmarshal(l.URI, &old) == nil {
			path = cmp.Or(old.Ref, old.ID)
		}
		if path == "" {
			continue
		}
		first = cmp.Or(first, path)
		if strings.HasPrefix(strings.ToLower(l.Language), "en") {
			return path
		}
	}
	return first
}
