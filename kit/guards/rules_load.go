package guards

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"rein/guard"
	"rein/internal/plaintext"
)

// RuleWarning is something wrong with rules that does not stop the start.
type RuleWarning struct {
	Source string // file:line
	Text   string
}

// String is the warning as one line.
func (w RuleWarning) String() string {
	if w.Source == "" {
		return w.Text
	}
	return w.Source + ": " + w.Text
}

// ParseRules reads the rules in a settings file: its "permissions", with those that count for the project root alone
// ("projects" by path). The text is JSON; comments must have been blanked, so that lines stay where they are. A file
// that cannot be read is an error: it must never mean "no rules".
func ParseRules(layer RuleLayer, file, root string, text []byte) ([]Rule, []RuleWarning, error) {
	p := &ruleParser{layer: layer, file: file, root: root, text: text, d: json.NewDecoder(bytes.NewReader(text))}
	err := p.object(func(key string) error {
		if key == "permissions" {
			return p.permissions(true)
		}
		return p.skip()
	})
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", p.place(int(p.d.InputOffset())), err)
	}
	return p.rules, p.warnings, nil
}

type ruleParser struct {
	layer      RuleLayer
	file, root string
	text       []byte
	d          *json.Decoder
	rules      []Rule
	warnings   []RuleWarning
}

func (p *ruleParser) place(offset int) string {
	return fmt.Sprintf("%s:%d", p.file, 1+bytes.Count(p.text[:min(offset, len(p.text))], []byte("\n")))
}

// object reads an object and lets each read the value of a key.
func (p *ruleParser) object(each func(key string) error) error {
	if err := p.delim('{'); err != nil {
		return err
	}
	for p.d.More() {
		t, err := p.d.Token()
		if err != nil {
			return err
		}
		if err := each(t.(string)); err != nil {
			return err
		}
	}
	return p.delim('}')
}

func (p *ruleParser) delim(want json.Delim) error {
	t, err := p.d.Token()
	if err != nil {
		return err
	}
	if t != want {
		return fmt.Errorf("expected %q, found %v", want.String(), t)
	}
	return nil
}

func (p *ruleParser) skip() error {
	var raw json.RawMessage
	return p.d.Decode(&raw)
}

func (p *ruleParser) permissions(outer bool) error {
	return p.object(func(key string) error {
		switch {
		case key == "allow":
			return p.list(guard.Allow)
		case key == "ask":
			return p.list(guard.Ask)
		case key == "deny":
			return p.list(guard.Deny)
		case key == "projects" && outer:
			return p.object(func(dir string) error {
				if strings.TrimSuffix(dir, "/") == strings.TrimSuffix(p.root, "/") && p.root != "" {
					return p.permissions(false)
				}
				return p.skip()
			})
		}
		p.warn("unknown key %q in permissions%s", key, meant(key, "allow", "ask", "deny", "projects"))
		return p.skip()
	})
}

func meant(word string, known ...string) string {
	if n := plaintext.NearestNames(word, known); len(n) > 0 {
		return fmt.Sprintf(" (did you mean %q?)", n[0])
	}
	return ""
}

func (p *ruleParser) warn(format string, args ...any) {
	p.warnings = append(p.warnings, RuleWarning{p.place(int(p.d.InputOffset())), fmt.Sprintf(format, args...)})
}

func (p *ruleParser) list(d guard.Decision) error {
	if err := p.delim('['); err != nil {
		return err
	}
	for p.d.More() {
		at := int(p.d.InputOffset())
		for at < len(p.text) && strings.IndexByte(" \t\r\n,", p.text[at]) >= 0 {
			at++
		}
		var raw json.RawMessage
		if err := p.d.Decode(&raw); err != nil {
			return err
		}
		if err := p.rule(d, raw, p.place(at)); err != nil {
			return err
		}
	}
	return p.delim(']')
}

// WrittenRule is a rule as settings write it: an object, or only its text where nothing else is set.
type WrittenRule struct {
	Rule     string   `json:"rule"`
	Match    []string `json:"match,omitempty"`     // calls that it must cover
	NotMatch []string `json:"not_match,omitempty"` // calls that it must not cover
	Risk     string   `json:"risk,omitempty"`      // "high", or ""
	Why      string   `json:"why,omitempty"`
}

// MarshalJSON returns the shorter of the two forms.
func (w WrittenRule) MarshalJSON() ([]byte, error) {
	if len(w.Match)+len(w.NotMatch)+len(w.Risk)+len(w.Why) == 0 {
		return json.Marshal(w.Rule)
	}
	type object WrittenRule
	return json.Marshal(object(w))
}

func (p *ruleParser) rule(d guard.Decision, raw json.RawMessage, place string) error {
	var w WrittenRule
	if len(raw) > 0 && raw[0] == '"' {
		if err := json.Unmarshal(raw, &w.Rule); err != nil {
			return err
		}
	} else {
		strict := json.NewDecoder(bytes.NewReader(raw))
		strict.DisallowUnknownFields()
		if err := strict.Decode(&w); err != nil {
			return fmt.Errorf("a rule is a string, or an object with rule, match, not_match, risk, why: %w", err)
		}
	}
	r, err := ParseRule(w.Rule)
	if err != nil {
		return err
	}
	if w.Risk != "" && w.Risk != "high" {
		return fmt.Errorf("risk is %q (expected \"high\")", w.Risk)
	}
	r.Decision, r.Layer, r.Source, r.Risk, r.Why = d, p.layer, place, w.Risk == "high", w.Why
	r.Match, r.NotMatch = w.Match, w.NotMatch
	if d == guard.Allow && !p.layer.loosens() {
		p.warnings = append(p.warnings, RuleWarning{place, fmt.Sprintf("%s allows in a project's settings and is ignored: a project can only tighten; put it in your own", r)})
		return nil
	}
	if err := r.check(); err != nil {
		return err
	}
	p.rules = append(p.rules, r)
	return nil
}
