package facts

import (
	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
)

// Programs compiles expressions, each once.
type Programs struct {
	// Ahead plans an expression that was parsed ahead of time; ok is false when
	// it was not. It may be nil.
	Ahead func(src string) (p cel.Program, ok bool, err error)
	done  map[programKey]compiled
}

type programKey struct{ src, want string }

type compiled struct {
	program cel.Program
	err     error
}

// Get is the program of an expression that gives the wanted type.
func (x *Programs) Get(src string, want *types.Type) (cel.Program, error) {
	key := programKey{src, want.TypeName()}
	if c, ok := x.done[key]; ok {
		return c.program, c.err
	}
	if x.done == nil {
		x.done = map[programKey]compiled{}
	}
	p, err := x.plan(src, want)
	x.done[key] = compiled{p, err}
	return p, err
}

func (x *Programs) plan(src string, want *types.Type) (cel.Program, error) {
	if x.Ahead != nil {
		if p, ok, err := x.Ahead(src); ok {
			return p, err
		}
	}
	return CompileExpr(src, want)
}
