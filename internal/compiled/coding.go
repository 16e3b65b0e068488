package compiled

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Coding writes values one after the other, or reads them back in the same order: one function
// that names the fields of a type serves both ways, so that neither can forget what the other
// does. Texts that are read are parts of what they are read from.
type Coding struct {
	in      string
	out     []byte
	reading bool
	damaged bool
}

// NewWriter is a coding that writes.
func NewWriter() *Coding { return &Coding{} }

// NewReader is a coding that reads what one has written.
func NewReader(in string) *Coding { return &Coding{in: in, reading: true} }

// Written is what was written.
func (c *Coding) Written() string { return string(c.out) }

// Rest is what is left to be read.
func (c *Coding) Rest() string { return c.in }

// Err says whether what was read is damaged; values are zero from there on.
func (c *Coding) Err() error {
	if c.damaged {
		return fmt.Errorf("compiled value: %w", errDamaged)
	}
	return nil
}

// number is a number that is not negative.
func (c *Coding) number(n *uint64) {
	if !c.reading {
		c.out = binary.AppendUvarint(c.out, *n)
		return
	}
	var size int
	*n, size = binary.Uvarint([]byte(c.in[:min(len(c.in), binary.MaxVarintLen64)]))
	if size <= 0 {
		*n, c.in, c.damaged = 0, "", true
		return
	}
	c.in = c.in[size:]
}

// length is how many bytes or values follow, each of which takes a byte at least.
func (c *Coding) length(of int) int {
	n := uint64(of)
	c.number(&n)
	if c.reading && n > uint64(len(c.in)) {
		n, c.in, c.damaged = 0, "", true
	}
	return int(n)
}

// Int is a number.
func (c *Coding) Int(v *int) {
	n := uint64(*v)<<1 ^ uint64(*v>>63) // small whether negative or not
	c.number(&n)
	*v = int(n>>1) ^ -int(n&1)
}

// Float is a number that need not be whole.
func (c *Coding) Float(v *float64) {
	n := math.Float64bits(*v)
	c.number(&n)
	*v = math.Float64frombits(n)
}

// Bool is a yes or no.
func (c *Coding) Bool(v *bool) {
	n := uint64(0)
	if *v {
		n = 1
	}
	c.number(&n)
	*v = n == 1
}

// Text is a text.
func (c *Coding) Text(v *string) {
	n := c.length(len(*v))
	if !c.reading {
		c.out = append(c.out, *v...)
		return
	}
	*v, c.in = c.in[:n], c.in[n:]
}

// CodePointer is a value that may be missing.
func CodePointer[T any](c *Coding, v **T, each func(*T)) {
	there := *v != nil
	c.Bool(&there)
	if c.reading {
		*v = nil
		if there {
			*v = new(T)
		}
	}
	if there {
		each(*v)
	}
}

// CodeList is a list; none and an empty one stay apart.
func CodeList[S ~[]T, T any](c *Coding, v *S, each func(*T)) {
	n := c.length(len(*v))
	if c.reading {
		*v = nil
		if n > 0 {
			*v = make(S, n)
		}
	}
	if n == 0 {
		empty := *v != nil
		c.Bool(&empty)
		if c.reading && empty {
			*v = S{}
		}
	}
	for i := range *v {
		each(&(*v)[i])
	}
}

// CodeMap is a map, in the order of its keys.
func CodeMap[T any](c *Coding, v *map[string]T, each func(*T)) {
	var keys []string
	if *v != nil {
		keys = slices.AppendSeq([]string{}, maps.Keys(*v))
		slices.Sort(keys)
	}
	CodeList(c, &keys, c.Text)
	if c.reading {
		*v = nil
		if keys != nil {
			*v = make(map[string]T, len(keys))
		}
	}
	for _, key := range keys {
		value := (*v)[key]
		each(&value)
		if c.reading {
			(*v)[key] = value
		}
	}
}
