package code

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

const plus = syntax.PLUS

// mostDepth is how deep lists and dicts in arguments may be nested.
const mostDepth = 50

// encode adds a value as JSON.
func encode(out []byte, v starlark.Value, depth int) ([]byte, error) {
	if depth > mostDepth {
		return nil, fmt.Errorf("lists and dicts are nested deeper than %d", mostDepth)
	}
	switch v := v.(type) {
	case starlark.NoneType:
		return append(out, "null"...), nil
	case starlark.Bool:
		return fmt.Append(out, bool(v)), nil
	case starlark.Int:
		return append(out, v.String()...), nil
	case starlark.Float:
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, fmt.Errorf("%v is not a number that an argument can have", v)
		}
		return quoted(out, float64(v))
	case starlark.String:
		return quoted(out, string(v))
	case *starlark.Dict:
		out = append(out, '{')
		for i, item := range v.Items() {
			key, ok := starlark.AsString(item[0])
			if !ok {
				return nil, fmt.Errorf("a key of a dict is %s, want a string", item[0].Type())
			}
			if i > 0 {
				out = append(out, ',')
			}
			var err error
			if out, err = quoted(out, key); err != nil {
				return nil, err
			}
			if out, err = encode(append(out, ':'), item[1], depth+1); err != nil {
				return nil, err
			}
		}
		return append(out, '}'), nil
	case starlark.Iterable: // a list, a tuple, a set
		out = append(out, '[')
		it := v.Iterate()
		defer it.Done()
		var x starlark.Value
		for i := 0; it.Next(&x); i++ {
			if i > 0 {
				out = append(out, ',')
			}
			var err error
			if out, err = encode(out, x, depth+1); err != nil {
				return nil, err
			}
		}
		return append(out, ']'), nil
	}
	return nil, fmt.Errorf("an argument cannot be a %s", v.Type())
}

func quoted(out []byte, v any) ([]byte, error) {
	text, err := json.Marshal(v)
	return append(out, text...), err
}

// decode makes a value of JSON; nothing is None.
func decode(text json.RawMessage) (starlark.Value, error) {
	if len(text) == 0 {
		return starlark.None, nil
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return nil, err
	}
	return valueOf(v), nil
}

func valueOf(v any) starlark.Value {
	switch v := v.(type) {
	case bool:
		return starlark.Bool(v)
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return starlark.MakeBigInt(big.NewInt(int64(v)))
		}
		return starlark.Float(v)
	case string:
		return starlark.String(v)
	case []any:
		list := make([]starlark.Value, len(v))
		for i, x := range v {
			list[i] = valueOf(x)
		}
		return starlark.NewList(list)
	case map[string]any:
		d := starlark.NewDict(len(v))
		for _, key := range sortedKeys(v) {
			_ = d.SetKey(starlark.String(key), valueOf(v[key]))
		}
		return d
	}
	return starlark.None
}
