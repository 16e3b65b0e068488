//go:build !js

package redfish

import (
	"context"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
)

// whichSystem is the advice if several systems may be the audited machine.
const whichSystem = "run as root: serial number and UUID identify it; or name one with --redfish-system"

const maxSystems = 64

// If the service describes another machine, that is a problem, because its memory is not this machine's.
func (c *client) findSystem(ctx context.Context, root *serviceRoot, who Identity, a *Answer) (*system, *Problem) {
	list, p := c.memberPaths(ctx, root.Systems.targetPath())
	if p != nil {
		return nil, p
	}
	op := "GET " + printablePath(root.Systems.targetPath())
	if len(list) == 0 {
		return nil, newProblem(fact.SourceAbsent, op, "the service lists no system")
	}
	if len(list) > maxSystems {
		return nil, newProblem(fact.SourceRefused, op, "the service lists more than %d systems", maxSystems)
	}
	var all []*system
	for _, at := range list {
		s := &system{at: at}
		if _, p := c.getResource(ctx, at, maxAnswer, s); p != nil {
			if len(list) == 1 || p.last {
				return nil, p
			}
			a.recordProblem(p)
			continue
		}
		c.concealIdentifiers(s)
		s.compareIdentity(who)
		all = append(all, s)
	}
	s, p := chooseSystem(op, all, len(list), c.o.System)
	if p != nil {
		return nil, p
	}
	a.Model, a.MatchedBy = c.hideSecrets(strings.TrimSpace(s.Model)), s.matchedBy
	if s.fits == doubtfulSystem {
		a.Doubt = "it calls its machine " + a.Model + ", and this one is " + c.hideSecrets(s.here) + ": is it another machine's controller?"
	}
	return s, nil
}

func (c *client) concealIdentifiers(s *system) {
	for _, id := range s.identifiers() {
		// Lenovo's SKU is the machine type, which the model names too.
		if !strings.Contains(s.Model, id) {
			c.secrets = append(c.secrets, id)
		}
	}
}

// chooseSystem returns the system that matches best, or a problem with the reason why none can be chosen. listed is
// the number of systems that the service lists; all are those that could be read. The only system of a service
// is chosen even if its model differs. If there are several, one with a different model is never chosen, nor
// one without anything to compare just because the others are other machines. If some could not be read, only
// one with the same identifier is chosen.
func chooseSystem(op string, all []*system, listed int, name string) (*system, *Problem) {
	if name != "" {
		return systemNamed(op, all, listed, name)
	}
	if len(all) == 0 {
		return nil, newProblem(fact.SourceAbsent, op, "no system of the service could be read")
	}
	most := slices.MaxFunc(all, func(a, b *system) int { return int(a.fits - b.fits) }).fits
	best := slices.DeleteFunc(slices.Clone(all), func(s *system) bool { return s.fits < most })
	switch {
	case best[0].fits < sameSystem && len(all) < listed:
		return nil, newProblem(fact.SourceRefused, op, "%d of the service's %d systems could not be read, and one of them may be the audited machine", listed-len(all), listed).
			withHint(whichSystem)
	case best[0].fits == otherSystem && len(all) == 1:
		return nil, newProblem(fact.SourceRefused, op, "the service describes another machine: its %s differs", best[0].differsBy).
			withHint("give the address of this machine's own BMC")
	case best[0].fits <= doubtfulSystem && len(all) > 1:
		return nil, newProblem(fact.SourceRefused, op, "none of the service's %d systems is the audited machine", len(all))
	case best[0].fits == unknownSystem && len(best) < len(all):
		return nil, newProblem(fact.SourceRefused, op, "no other of the service's %d systems is the audited machine, and nothing identifies it as %s", len(all), listSystemNames(best)).
			withHint(whichSystem)
	case len(best) > 1:
		return nil, newProblem(fact.SourceRefused, op, "%d of the service's %d systems could be the audited machine: %s", len(best), len(all), listSystemNames(best)).
			withHint(whichSystem)
	default:
		return best[0], nil
	}
}

// systemNamed returns the system with this name, unless an identifier shows that it is another machine. Name is
// compared last, because several systems may share it.
func systemNamed(op string, all []*system, listed int, name string) (*system, *Problem) {
	names := []func(*system) string{(*system).lastSegment, func(s *system) string { return s.ID }, func(s *system) string { return s.Name }}
	var named []*system
	for i := 0; i < len(names) && named == nil; i++ {
		for _, s := range all {
			if strings.EqualFold(names[i](s), name) {
				named = append(named, s)
			}
		}
	}
	switch {
	case named == nil && len(all) < listed:
		return nil, newProblem(fact.SourceRefused, op, "the system %s is not among the %d of the service's %d systems that could be read", name, len(all), listed)
	case named == nil:
		return nil, newProblem(fact.SourceAbsent, op, "the service has no system %s, expected one of %s", name, listSystemNames(all))
	case len(named) > 1:
		return nil, newProblem(fact.SourceRefused, op, "%d of the service's %d systems are called %s, expected one of %s", len(named), len(all), name, listSystemNames(all))
	case named[0].fits == otherSystem:
		return nil, newProblem(fact.SourceRefused, op, "the system %s is another machine: its %s differs", name, named[0].differsBy)
	}
	return named[0], nil
}

func (s *system) lastSegment() string { return lastSegment(s.at) }

func lastSegment(path string) string {
	path = strings.TrimRight(path, "/")
	return path[strings.LastIndex(path, "/")+1:]
}

// listSystemNames lists the names of the systems. A system with an identifier in its path is listed by its Name.
func listSystemNames(all []*system) string {
	var out []string
	for _, s := range all {
		name := s.lastSegment()
		if s.showsIdentifier(name) {
			name = s.Name
		}
		if name == "" || s.showsIdentifier(name) {
			name = "(one whose name identifies it)"
		}
		out = append(out, printableText(name))
	}
	return strings.Join(out, ", ")
}

// identifiers returns the machine's identifiers, without short texts that other names may contain.
func (s *system) identifiers() []string {
	return slices.DeleteFunc([]string{s.SerialNumber, s.SKU, s.UUID, s.AssetTag, s.HostName}, func(id string) bool { return len(id) < 4 })
}

func (s *system) showsIdentifier(name string) bool {
	return slices.ContainsFunc(s.identifiers(), func(id string) bool { return strings.Contains(name, id) })
}
