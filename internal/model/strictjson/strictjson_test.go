package strictjson_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/model/strictjson"
)

type part struct {
	Name   string          `json:"name"`
	Count  int             `json:"count"`
	On     bool            `json:"on"`
	Ratio  *float64        `json:"ratio"`
	Words  []string        `json:"words"`
	Data   []byte          `json:"data"`
	More   []part          `json:"more"`
	Named  map[string]int  `json:"named"`
	Point  *part           `json:"point"`
	Points []*part         `json:"points"`
	Raw    json.RawMessage `json:"raw"`
	Why    nullable.String `json:"why"`
	Skip   string          `json:"-"`
	inner
}

type inner struct {
	Deep string `json:"deep"`
}

// TestUnmarshal checks that input that encoding/json accepts silently is refused with the name of the key.
func TestUnmarshal(t *testing.T) {
	for text, want := range map[string]string{
		`{}`: "", `{"name":"a","count":1,"on":true,"ratio":1.5,"words":["b"],"data":"AAAA","more":[{}],"named":{"c":1},"raw":[null],"deep":"d","other":[null,{"a":null}]}`: "",
		`{"ratio":null,"words":null,"data":null,"more":null,"named":null,"point":null,"points":null,"raw":null,"why":null}`: "",
		`null`:                       "document: null, expected an object",
		`[]`:                         "document: a list, expected an object",
		`{"name":null}`:              "name: null, expected a string",
		`{"count":null}`:             "count: null, expected a number",
		`{"on":null}`:                "on: null, expected a boolean",
		`{"on":1}`:                   "on: a number, expected a boolean",
		`{"deep":null}`:              "deep: null, expected a string",
		`{"words":["a",null]}`:       "words[1]: null, expected a string",
		`{"words":{}}`:               "words: an object, expected a list",
		`{"data":[1]}`:               "data: a list, expected a string",
		`{"more":[{"more":[null]}]}`: "more[0].more[0]: null, expected an object",
		`{"points":[{},null]}`:       "points[1]: null, expected an object",
		`{"named":{"a":null}}`:       "named.a: null, expected a number",
		`{"point":{"name":null}}`:    "point.name: null, expected a string",
		`{"NAME":"a"}`:               `NAME: unknown key, expected "name"`,
		`{"name":"a","name":"b"}`:    "name: the key occurs twice",
		`{"named":{"a":1,"a":2}}`:    "named.a: the key occurs twice",
		`{} {}`:                      "after top-level value",
		`{"count":1.5}`:              "count",
		`{"name":"a"`:                "unexpected end of JSON input",
		``:                           "unexpected end of JSON input",
		`{"name"`:                    "unexpected end of JSON input",
		`{"a":}`:                     "invalid character",
		`{"data":"?"}`:               "illegal base64",
	} {
		err := strictjson.Unmarshal([]byte(text), &part{}, 0)
		if want == "" {
			require.NoError(t, err, text)
			continue
		}
		assert.ErrorContains(t, err, want, text)
	}
}

// TestUnmarshalBounds checks that a list of short elements is refused before it is allocated.
func TestUnmarshalBounds(t *testing.T) {
	for _, text := range []string{`{"more":[` + strings.Repeat("{},", 9999) + `{}]}`, `{"words":[` + strings.Repeat(`"",`, 99999) + `""]}`,
		`{"other":[` + strings.Repeat(`0,`, 99999) + `0]}`, `{"name":"` + strings.Repeat("a", 1<<20+1) + `"}`, `{"points":[` + strings.Repeat("{},", 9999) + `{}]}`} {
		require.ErrorIs(t, strictjson.Unmarshal([]byte(text), &part{}, 1<<20), strictjson.ErrTooLarge, text[:20])
		require.NoError(t, strictjson.Unmarshal([]byte(text), &part{}, 8<<20), text[:20])
	}
	deep := strings.Repeat(`{"a":`, 99) + "1" + strings.Repeat("}", 99)
	require.ErrorContains(t, strictjson.Unmarshal([]byte(deep), &part{}, 1<<20), "more than 64 levels")
}

// TestInTime checks that a decoder is given up at its limit, and that one in time returns its own error.
func TestInTime(t *testing.T) {
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		takes time.Duration
		err   error
		want  error
	}{"in time": {4999 * time.Millisecond, nil, nil}, "in time and broken": {0, broken, broken}, "late": {5001 * time.Millisecond, nil, strictjson.ErrTooSlow}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				err := strictjson.InTime(5*time.Second, func() error {
					time.Sleep(c.takes)
					return c.err
				})
				require.ErrorIs(t, err, c.want)
				assert.LessOrEqual(t, time.Since(start), 5*time.Second)
				time.Sleep(time.Second) // the late one ends
			})
		})
	}
}
