package dialect

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// data holds one file for each dialect, named for it. A file is read at the first use of its dialect.
//
//go:embed data
var data embed.FS

// rows holds how to load each dialect, by its name.
var rows = sync.OnceValue(func() map[string]func() *Dialect {
	entries, _ := data.ReadDir("data")
	all := make(map[string]func() *Dialect, len(entries))
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".yaml")
		all[name] = sync.OnceValue(func() *Dialect {
			d, err := load(name)
			if err != nil {
				panic(fmt.Sprintf("dialect: data/%s.yaml: %v", name, err)) // a test reads every file
			}
			return d
		})
	}
	return all
})

// load reads the file of a dialect. A dialect that is the same as another one takes from it what it leaves out.
func load(name string) (*Dialect, error) {
	text, err := data.ReadFile("data/" + name + ".yaml")
	if err != nil {
		return nil, err
	}
	d, err := parse(name, text)
	if err != nil || d.Same == "" {
		return d, err
	}
	base, err := load(d.Same)
	if err != nil {
		return nil, err
	}
	d.Spellings = base.Spellings
	inherit(&d.Think, base.Think)
	inherit(&d.Calls, base.Calls)
	inherit(&d.Drop, base.Drop)
	inherit(&d.Inert, base.Inert)
	return d, nil
}

func inherit[T any](list *[]T, base []T) {
	if *list == nil {
		*list = base
	}
}

// parse reads and checks one file.
func parse(name string, text []byte) (*Dialect, error) {
	d := &Dialect{Name: name}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(d); err != nil {
		return nil, err
	}
	if d.Name != name {
		return nil, fmt.Errorf("it names itself %q", d.Name)
	}
	if err := d.respell(text); err != nil {
		return nil, err
	}
	return d, d.whole()
}

// respell adds each form in the other spellings of its marks. text is the dialect's file.
func (d *Dialect) respell(text []byte) error {
	var file struct{ Calls []yaml.Node }
	if err := yaml.Unmarshal(text, &file); err != nil {
		return err
	}
	for _, also := range d.Spellings.Also {
		for i := range file.Calls {
			form, err := yaml.Marshal(&file.Calls[i])
			if err != nil {
				return err
			}
			f := Form{}
			if err := yaml.Unmarshal(bytes.ReplaceAll(form, []byte(d.Spellings.Of), []byte(also)), &f); err != nil {
				return err
			}
			f.Unwritten = true
			d.Calls = append(d.Calls, f)
		}
	}
	return nil
}

// whole returns what a row lacks or contradicts.
func (d *Dialect) whole() error {
	if d.About == "" {
		return errors.New("about is empty: say which models use the dialect")
	}
	for _, part := range d.Models {
		if part == "" || strings.Trim(part, "abcdefghijklmnopqrstuvwxyz0123456789.-") != "" {
			return fmt.Errorf("models: %q must be part of a name: small letters, digits, dots and dashes", part)
		}
	}
	for i := range d.Calls {
		if err := d.Calls[i].whole(); err != nil {
			return fmt.Errorf("calls, item %d: %w", i+1, err)
		}
	}
	for _, s := range append(d.Think[:len(d.Think):len(d.Think)], d.Inert...) {
		if len(s.Open) == 0 || len(s.Close) == 0 {
			return errors.New("think and inert need open and close")
		}
	}
	if d.Frames != nil && (len(d.Frames.Start) == 0 || d.Frames.Head == "") {
		return errors.New("frames need start and head")
	}
	return d.Prompt.whole()
}

// whole returns what a form lacks.
func (f *Form) whole() error {
	tags := f.Tags
	switch f.Syntax {
	case Named:
		if len(f.Open) == 0 || len(f.Sep) == 0 && !tags.OrJSON {
			return errors.New("the syntax named needs open and sep")
		}
	case Markup:
		if len(f.Open) == 0 || tags.Param == "" || len(tags.ParamClose) == 0 {
			return errors.New("the syntax markup needs open, tags.param and tags.param_close")
		}
	case Elements, Lenient:
		if len(f.Open) == 0 || len(f.Close) == 0 {
			return errors.New("the syntaxes elements and lenient need open and close")
		}
	case Braces:
		if len(f.Open) == 0 || f.Quote == "" {
			return errors.New("the syntax braces needs open and quote")
		}
	}
	if f.NeedClose && len(f.Close) == 0 {
		return errors.New("need_close without close")
	}
	if f.Each && len(f.Section.Open) == 0 {
		return errors.New("each without section")
	}
	return nil
}

// whole returns what a template lacks; nil lacks nothing.
func (p *PromptTemplate) whole() error {
	switch {
	case p == nil:
		return nil
	case !strings.Contains(p.Text, "{tools}"):
		return errors.New("prompt.text does not hold {tools}")
	case !strings.Contains(p.Result, "{content}") && !strings.Contains(p.Result, "{json}"):
		return errors.New("prompt.result holds neither {content} nor {json}")
	}
	return nil
}
