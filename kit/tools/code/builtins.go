package code

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	starjson "go.starlark.net/lib/json"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// builtins are the functions beside the language's own and the tools.
func (p *program) builtins() starlark.StringDict {
	all := starlark.StringDict{"json": starjson.Module, "struct": starlark.NewBuiltin("struct", starlarkstruct.Make)}
	for name, f := range map[string]func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error){
		"call": p.callByName, "parallel": p.parallel, "must": must, "sum": sum, "lines": lines, "find_all": findAll, "replace_all": replaceAll,
	} {
		all[name] = starlark.NewBuiltin(name, f)
	}
	return all
}

// call calls the tool of the builtin's name.
func (p *program) call(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	d := starlark.NewDict(len(kwargs) + len(args))
	required := p.required[b.Name()]
	if len(args) > len(required) {
		return nil, fmt.Errorf("%s: arguments after %s must be named, such as name=value", b.Name(), strings.Join(required, ", "))
	}
	for i, v := range args {
		_ = d.SetKey(starlark.String(required[i]), v)
	}
	for _, kw := range kwargs {
		if _, twice, _ := d.Get(kw[0]); twice {
			return nil, fmt.Errorf("%s: got two values for %s", b.Name(), kw[0])
		}
		_ = d.SetKey(kw[0], kw[1])
	}
	results, err := p.send1(b.Name(), d)
	if err != nil {
		return nil, err
	}
	return results[0], nil
}

// callByName is call(name, {…}), for tools whose names are no words of the language.
func (p *program) callByName(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var name string
	d := starlark.NewDict(0)
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "name", &name, "args?", &d); err != nil {
		return nil, err
	}
	results, err := p.send1(name, d)
	if err != nil {
		return nil, err
	}
	return results[0], nil
}

func (p *program) send1(name string, d *starlark.Dict) ([]starlark.Value, error) {
	c, err := p.one(name, d)
	if err != nil {
		return nil, err
	}
	return p.results([]interpreterCall{c})
}

// one makes a call.
func (p *program) one(name string, args starlark.Value) (interpreterCall, error) {
	d, ok := args.(*starlark.Dict)
	switch {
	case !ok:
		return interpreterCall{}, fmt.Errorf("%s: the arguments are %s, want a dict", name, args.Type())
	case !p.known(name):
		return interpreterCall{}, fmt.Errorf("there is no tool %s that a program can call", name)
	}
	text, err := encode(nil, d, 0)
	if err != nil {
		return interpreterCall{}, fmt.Errorf("%s: %w", name, err)
	}
	return interpreterCall{Name: name, Args: text}, nil
}

// results sends calls and waits for their results.
func (p *program) results(calls []interpreterCall) ([]starlark.Value, error) {
	if len(calls) == 0 {
		return nil, nil
	}
	answer, err := p.ask(interpreterFrame{Calls: calls})
	if err != nil {
		return nil, err
	}
	if len(answer.Results) != len(calls) {
		p.lost = errors.New("the results do not fit the calls")
		return nil, p.lost
	}
	values := make([]starlark.Value, len(calls))
	for i, r := range answer.Results {
		if r.Kind == "bad_arguments" {
			return nil, fmt.Errorf("%s: %s", calls[i].Name, r.Text)
		}
		notes := make([]starlark.Value, len(r.Notes))
		for k, n := range r.Notes {
			notes[k] = starlark.String(n)
		}
		detail, err := decode(r.Detail)
		if err != nil {
			return nil, err
		}
		values[i] = starlarkstruct.FromStringDict(starlark.String("result"), starlark.StringDict{
			"ok": starlark.Bool(r.OK), "text": starlark.String(r.Text), "kind": starlark.String(r.Kind),
			"notes": starlark.NewList(notes), "detail": detail,
		})
	}
	return values, nil
}

// mostParallel is how many calls one parallel may have.
const mostParallel = 100

// parallel is parallel([("tool", {…}), …]): it takes data and no functions, so that all calls are known before one runs.
func (p *program) parallel(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var list starlark.Iterable
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "calls", &list); err != nil {
		return nil, err
	}
	var calls []interpreterCall
	it := list.Iterate()
	defer it.Done()
	var v starlark.Value
	for it.Next(&v) {
		pair, ok := v.(starlark.Indexable)
		if _, text := v.(starlark.String); !ok || text || pair.Len() != 2 {
			return nil, fmt.Errorf(`parallel: got %s, want ("tool", {"argument": value})`, v.Type())
		}
		name, ok := starlark.AsString(pair.Index(0))
		if !ok {
			return nil, fmt.Errorf("parallel: the name of a tool is %s, want a string", pair.Index(0).Type())
		}
		c, err := p.one(name, pair.Index(1))
		if err != nil {
			return nil, fmt.Errorf("parallel: %w", err)
		}
		if calls = append(calls, c); len(calls) > mostParallel {
			return nil, fmt.Errorf("parallel: at most %d calls at once", mostParallel)
		}
	}
	results, err := p.results(calls)
	return starlark.NewList(results), err
}

// must returns a result that is good, and ends the program for another one.
func must(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var result *starlarkstruct.Struct
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "result", &result); err != nil {
		return nil, err
	}
	if ok, err := result.Attr("ok"); err == nil && ok == starlark.False {
		text, _ := result.Attr("text")
		words, _ := starlark.AsString(text)
		return nil, errors.New(words)
	}
	return result, nil
}

func sum(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var list starlark.Iterable
	var total starlark.Value = starlark.MakeInt(0)
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "values", &list, "start?", &total); err != nil {
		return nil, err
	}
	it := list.Iterate()
	defer it.Done()
	var v starlark.Value
	for it.Next(&v) {
		next, err := starlark.Binary(plus, total, v)
		if err != nil {
			return nil, fmt.Errorf("sum: %w", err)
		}
		total = next
	}
	return total, nil
}

func lines(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var text string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "text", &text); err != nil {
		return nil, err
	}
	var all []starlark.Value
	for l := range strings.Lines(text) {
		all = append(all, starlark.String(strings.TrimRight(l, "\r\n")))
	}
	return starlark.NewList(all), nil
}

// findAll returns the matches of a regular expression: texts, or tuples where it has groups.
func findAll(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var pattern, text string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "pattern", &pattern, "text", &text); err != nil {
		return nil, err
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	var all []starlark.Value
	for _, m := range re.FindAllStringSubmatch(text, -1) {
		switch len(m) {
		case 1:
			all = append(all, starlark.String(m[0]))
		case 2:
			all = append(all, starlark.String(m[1]))
		default:
			group := make(starlark.Tuple, len(m)-1)
			for i, g := range m[1:] {
				group[i] = starlark.String(g)
			}
			all = append(all, group)
		}
	}
	return starlark.NewList(all), nil
}

func replaceAll(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var pattern, with, text string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "pattern", &pattern, "with", &with, "text", &text); err != nil {
		return nil, err
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	return starlark.String(re.ReplaceAllString(text, with)), nil
}
