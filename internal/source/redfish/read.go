//go:build !js

package redfish

import "context"

// Read reads one machine's data from a service. It returns no error: what could not be read is in
// Problems of the answer. The session is closed in any case.
func Read(ctx context.Context, o Options, who Identity) *Answer {
	c := newClient(o)
	defer c.close()
	return c.read(ctx, who)
}

func (c *client) read(ctx context.Context, who Identity) *Answer {
	a := &Answer{Insecure: c.o.Insecure}
	ctx, cancel := context.WithTimeout(ctx, c.o.timeout())
	defer cancel()
	root, p := c.root(ctx)
	if a.failed(p) {
		return a
	}
	if a.failed(c.login(ctx, root)) {
		return a
	}
	c.all(ctx, root, who, a)
	if text := c.logout(ctx); text != "" {
		a.note("%s", text)
	}
	return a
}

// all reads the machine's resources, the most important ones first: BIOS settings, the registry, without which
// some vendors' settings are only codes, and then the modules, which are also in SMBIOS and need a request each
// on many services. Data that was read before a service fails is kept.
func (c *client) all(ctx context.Context, root *serviceRoot, who Identity, a *Answer) {
	s, p := c.system(ctx, root, who, a)
	if a.failed(p) {
		return
	}
	a.Found = true
	registry := ""
	if at := s.bios(); at == "" {
		a.note("the service offers no BIOS settings")
	} else if registry, p = c.bios(ctx, at, a); a.failed(p) && p.last {
		return
	}
	if p := c.named(ctx, root, registry, a); a.failed(p) && p.last {
		return
	}
	if at := s.Memory.path(); at == "" {
		a.note("the service offers no memory inventory")
	} else if p := c.memory(ctx, root, at, a); a.failed(p) && p.last {
		return
	}
	if at := s.MemorySummary.Metrics.path(); at != "" {
		a.failed(c.total(ctx, at, a))
	}
}

// named reads the registry that the settings name, unless KnownRegistry has it.
func (c *client) named(ctx context.Context, root *serviceRoot, registry string, a *Answer) *Problem {
	if registry == "" {
		return nil
	}
	a.BIOS.RegistryName = registry
	if c.o.KnownRegistry != nil {
		a.BIOS.Registry = c.o.KnownRegistry(registry)
	}
	if a.BIOS.Registry != nil {
		return nil
	}
	return c.registry(ctx, root, registry, a)
}
