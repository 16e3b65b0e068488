//go:build !js

package redfish

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/strictjson"
)

// number is a JSON number, also in quotation marks, as some BMCs send it. Any other value, also null, is
// unknown.
type number struct {
	value float64
	known bool
}

// UnmarshalJSON never fails: a value of another type is not known.
func (n *number) UnmarshalJSON(data []byte) error {
	v, err := strconv.ParseFloat(strings.TrimSpace(strings.Trim(string(data), `"`)), 64)
	*n = number{v, err == nil}
	return nil
}

// whole returns the number if it is a whole one from least to most.
func (n number) whole(least, most int64) (int64, bool) {
	if !n.known || n.value < float64(least) || n.value > float64(most) || n.value != float64(int64(n.value)) {
		return 0, false
	}
	return int64(n.value), true
}

// integer returns an integer from 1 to limit, 0 for any other value.
func (n number) integer(limit int64) int64 {
	v, _ := n.whole(1, limit)
	return v
}

func (c *client) get(ctx context.Context, path string, limit int64, v any) ([]byte, *Problem) {
	r, p := c.do(ctx, http.MethodGet, path, nil, limit)
	if p != nil {
		return nil, p
	}
	if p := c.decode("GET "+printablePath(path), r, v); p != nil {
		return nil, p
	}
	return r.body, nil
}

// decode decodes an answer into v, which must not be read if there is a problem. A property with a type that the schema
// does not have is ignored; the other properties are kept.
func (c *client) decode(op string, r *httpReply, v any) *Problem {
	if p := refusal(op, r); p != nil {
		return p
	}
	body := bytes.TrimPrefix(bytes.TrimSpace(r.body), []byte("\xef\xbb\xbf"))
	if len(body) == 0 {
		return problem(fact.SourceTruncated, op, "the answer is empty, expected a JSON object")
	}
	if body[0] != '{' {
		return problem(fact.SourceMalformed, op, "the answer is not a JSON object")
	}
	err := strictjson.InTime(c.decodeLimit, func() error { return json.Unmarshal(body, v) })
	var other *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case err == nil, errors.As(err, &other):
		return nil
	case errors.Is(err, strictjson.ErrTooSlow), errors.Is(err, errTooMany):
		return problem(fact.SourceRefused, op, "the answer %v", err)
	case errors.As(err, &syntax) && syntax.Offset >= int64(len(body)):
		return problem(fact.SourceTruncated, op, "the answer ends after %d bytes, inside its JSON", len(body))
	case errors.As(err, &syntax):
		return problem(fact.SourceMalformed, op, "the answer is not JSON from byte %d on", syntax.Offset)
	default:
		return problem(fact.SourceMalformed, op, "the answer is not JSON that can be read")
	}
}

// members are those of a collection. A list of three-byte elements is refused before it becomes a hundred times larger in
// memory.
type members[T any] []T

var errTooMany = fmt.Errorf("lists more than %d members", maxMembers)

// UnmarshalJSON ignores what is no list, and members of another type, as the decoder ignores other properties.
func (m *members[T]) UnmarshalJSON(data []byte) error {
	*m = nil
	dec := json.NewDecoder(bytes.NewReader(data))
	if start, err := dec.Token(); err != nil || start != json.Delim('[') {
		return err
	}
	for dec.More() {
		if len(*m) == maxMembers {
			return errTooMany
		}
		var one T
		if err := dec.Decode(&one); err != nil && !errors.As(err, new(*json.UnmarshalTypeError)) {
			return err
		}
		*m = append(*m, one)
	}
	return nil
}

func (c *client) members(ctx context.Context, path string) ([]string, *Problem) {
	links, p := pages[resourceLink](ctx, c, path)
	var out []string
	for _, m := range links {
		if at := m.path(); at != "" {
			out = append(out, at)
		}
	}
	return out, p
}

// pages returns the members of a collection, over all of its pages. A further page that is not there
// is not an absent collection.
func pages[T any](ctx context.Context, c *client, path string) ([]T, *Problem) {
	var out []T
	seen := map[string]bool{}
	for range maxPages {
		var page struct {
			Members members[T] `json:"Members"`
			Next    string     `json:"Members@odata.nextLink"`
		}
		if _, p := c.get(ctx, path, maxAnswer, &page); p != nil {
			if len(seen) > 0 && p.State == fact.SourceAbsent {
				p.State = fact.SourceTruncated
			}
			return nil, p
		}
		seen[path] = true
		if out = append(out, page.Members...); len(out) > maxMembers {
			return nil, problem(fact.SourceRefused, "GET "+printablePath(path), "a collection of more than %d members", maxMembers)
		}
		if path = page.Next; path == "" || seen[path] {
			return out, nil
		}
	}
	return nil, problem(fact.SourceRefused, "GET "+printablePath(path), "a collection of more than %d pages", maxPages)
}
