package compiled

import (
	"errors"
	"math"
	"reflect"
	"testing"
)

// coded is a type with a field of each kind.
type coded struct {
	Text   string
	Ints   []int
	Floats []float64
	Yes    *bool
	No     bool
	Lists  map[string][]string
}

func (v *coded) code(c *Coding) {
	c.Text(&v.Text)
	CodeList(c, &v.Ints, c.Int)
	CodeList(c, &v.Floats, c.Float)
	CodePointer(c, &v.Yes, c.Bool)
	c.Bool(&v.No)
	CodeMap(c, &v.Lists, func(list *[]string) { CodeList(c, list, c.Text) })
}

// TestCoding: what was written is read back, none and empty told apart; cut anywhere it is damaged.
func TestCoding(t *testing.T) {
	yes := true
	for _, want := range []coded{
		{},
		{Ints: []int{}, Floats: []float64{}, Yes: new(bool), Lists: map[string][]string{}},
		{"text\tof\nlines", []int{0, 1, -1, 300, math.MaxInt, math.MinInt}, []float64{0, -0.5, math.MaxFloat64, math.Inf(1)}, &yes, true,
			map[string][]string{"none": nil, "empty": {}, "": {"", "one"}}},
	} {
		w := NewWriter()
		want.code(w)
		if w.Err() != nil {
			t.Fatal(w.Err())
		}
		have := coded{Text: "what stood there before", Ints: []int{1}, Yes: &yes, No: true, Lists: map[string][]string{"a": nil}}
		r := NewReader(w.Written())
		have.code(r)
		if r.Err() != nil {
			t.Fatal(r.Err())
		}
		if !reflect.DeepEqual(want, have) {
			t.Errorf("%+v, expected %+v", have, want)
		}
		if len(r.Rest()) > 0 {
			t.Errorf("%d bytes are left", len(r.Rest()))
		}
		for n := range w.Written() {
			r = NewReader(w.Written()[:n])
			have.code(r)
			if !errors.Is(r.Err(), errDamaged) {
				t.Fatalf("cut at %d: %v, expected that it is damaged", n, r.Err())
			}
		}
	}
}
