package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
)

// apiOperation is one row of the table of what the interface can do. Make it with operationAt.
type apiOperation struct {
	Role             Role // that it needs
	Method, Path     string
	ID, Tag, Summary string
	status           int   // of the answer
	errors           []int // statuses of problems, beside those that many operations have
	in, out          reflect.Type
	do               func(ctx context.Context, read func(in any) error) (out any, err error)
}

// noContent is an input or an answer without content.
type noContent struct{}

// fileAnswer is an answer that is a file, which no browser shows, whatever it is.
type fileAnswer struct {
	Name    string
	Changed time.Time
	Content io.ReadSeeker // it is closed at the end, where it is an io.Closer
}

// operationAt makes an operation. The route is a method and a path; statuses are that of the answer, where it is not 200 or 204, and those of
// problems. The fields of I with the tags path and query are read from the address, its field Body from the request; an I with none
// of them is the body itself. What does not fit the tags of the fields is refused before do is called.
func operationAt[I, O any](role Role, route, id, tag, summary string, do func(context.Context, I) (O, error), statuses ...int) apiOperation {
	method, path, _ := strings.Cut(route, " ")
	o := apiOperation{Role: role, Method: method, Path: path, ID: id, Tag: tag, Summary: summary, status: http.StatusOK, in: reflect.TypeFor[I](), out: reflect.TypeFor[O]()}
	if o.out == reflect.TypeFor[noContent]() {
		o.status = http.StatusNoContent
	}
	for _, status := range statuses {
		if status < 400 {
			o.status = status
		} else {
			o.errors = append(o.errors, status)
		}
	}
	o.do = func(ctx context.Context, read func(any) error) (any, error) {
		var in I
		if err := read(&in); err != nil {
			return nil, err
		}
		return do(ctx, in)
	}
	return o
}

// input is what an operation reads.
type input struct {
	params []param
	body   *schema // nil: the operation reads none
	field  []int   // where the body goes; none: it is the input itself
}

// param is a part of the address.
type param struct {
	name, in string // path or query
	preset   string // of a query without it
	required bool
	schema   *schema
	field    []int
}

// inputOf finds what an operation reads, and adds the schemas.
func (s schemas) inputOf(t reflect.Type) (in input) {
	if t == reflect.TypeFor[noContent]() {
		return in
	}
	for _, f := range reflect.VisibleFields(t) {
		for _, place := range []string{"path", "query"} {
			if name, ok := f.Tag.Lookup(place); ok {
				in.params = append(in.params, param{name: name, in: place, preset: f.Tag.Get("default"), required: place == "path" || f.Tag.Get("required") == "true", schema: s.field(f), field: f.Index})
			}
		}
		if f.Name == "Body" && len(f.Index) == 1 {
			in.body, in.field = s.of(f.Type), f.Index
		}
	}
	if in.params == nil && in.body == nil {
		in.body = s.of(t)
	}
	return in
}

// inputProblem is the problem of an input that does not fit its description; nil without faults.
func inputProblem(status int, faults []*errorDetail) error {
	const most = 20 // each repeats what is wrong
	if len(faults) == 0 {
		return nil
	}
	faults = faults[:min(len(faults), most)]
	for _, f := range faults {
		f.Value, f.Message, f.Location = shortValue(f.Value), cut(f.Message), cut(f.Location)
	}
	p := problem(status, "input", "validation failed")
	p.Errors = faults
	return p
}

// mostEchoed is how many bytes of a wrong value are repeated.
const mostEchoed = 200

func shortValue(v any) any {
	if text, ok := v.(string); ok {
		return cut(text)
	}
	if text, err := json.Marshal(v); err != nil || len(text) > mostEchoed {
		return cut(string(text))
	}
	return v
}

func cut(text string) string {
	if len(text) <= mostEchoed {
		return text
	}
	return strings.ToValidUTF8(text[:mostEchoed-len("…")], "") + "…"
}

// read fills an input from a request.
func (in input) read(s schemas, r *http.Request, into reflect.Value) error {
	var faults []*errorDetail
	query := r.URL.Query()
	for name := range query {
		if !slices.ContainsFunc(in.params, func(p param) bool { return p.in == "query" && p.name == name }) {
			faults = append(faults, &errorDetail{Message: "unknown query parameter", Location: "query." + name, Value: ""})
		}
	}
	if faults != nil {
		return inputProblem(http.StatusUnprocessableEntity, faults)
	}
	for _, p := range in.params {
		text := query.Get(p.name)
		if p.in == "path" {
			text = r.PathValue(p.name)
		}
		faults = append(faults, p.read(s, text, into.FieldByIndex(p.field))...)
	}
	if in.body == nil {
		return inputProblem(http.StatusUnprocessableEntity, faults)
	}
	if in.field != nil {
		into = into.FieldByIndex(in.field)
	}
	return in.readBody(s, r.Body, into, faults)
}

// readBody fills an input from what a request has sent; faults are those that were found before.
func (in input) readBody(s schemas, from io.Reader, into reflect.Value, faults []*errorDetail) error {
	body, err := io.ReadAll(from)
	switch {
	case tooLarge(err):
		return problem(http.StatusRequestEntityTooLarge, "too_large", err.Error())
	case err != nil:
		return problem(http.StatusRequestTimeout, "body", "the rest of the request did not come")
	case len(body) == 0:
		return problem(http.StatusBadRequest, "input", "request body is required")
	}
	var found any
	if err := decode(body, &found); err != nil {
		return inputProblem(http.StatusBadRequest, append(faults, &errorDetail{Message: err.Error(), Location: "body", Value: string(body)}))
	}
	misfits := s.check(in.body, "body", found)
	if misfits == nil {
		if err := decode(body, into.Addr().Interface()); err != nil {
			misfits = []*errorDetail{{Message: err.Error(), Location: "body", Value: string(body)}}
		}
	}
	return inputProblem(http.StatusUnprocessableEntity, append(faults, misfits...))
}

func tooLarge(err error) bool {
	_, ok := errors.AsType[*http.MaxBytesError](err)
	return ok
}

// decode reads JSON. A name that comes twice in an object is refused: two readers could take a different one of them.
func decode(text []byte, into any) error {
	return jsonv2.Unmarshal(text, into, jsonv2.RejectUnknownMembers(true))
}

// read sets a field to a part of the address, or to its default where the request has none.
func (p param) read(s schemas, text string, into reflect.Value) []*errorDetail {
	bad := func(message string) []*errorDetail {
		return []*errorDetail{{Message: message, Location: p.in + "." + p.name, Value: text}}
	}
	if text = cmp.Or(text, p.preset); text == "" {
		if p.required {
			return bad("required " + p.in + " parameter is missing")
		}
		return nil
	}
	var found any = text
	switch into.Kind() {
	case reflect.String:
		into.SetString(text)
	case reflect.Bool:
		v, err := strconv.ParseBool(text)
		if err != nil {
			return bad("invalid boolean")
		}
		into.SetBool(v)
		found = v
	default:
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return bad("invalid integer")
		}
		into.SetInt(v)
		found = float64(v)
	}
	return s.check(p.schema, p.in+"."+p.name, found)
}
