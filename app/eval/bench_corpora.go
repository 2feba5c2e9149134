package eval

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math/big"
	"slices"
	"strings"
)

// benchRow is a row of any corpus.
type benchRow struct {
	ID     string          `json:"id"`
	Kind   string          `json:"kind"`
	Input  *string         `json:"input"`
	Tools  json.RawMessage `json:"tools"`
	Expect json.RawMessage `json:"expect"` // the file, the calls, or the verdict
	Want   json.RawMessage `json:"want"`   // the value, or the values
	raw    []byte
	editRow
	dialectRow
	schemaRow
	guardRow

	MustFail bool `json:"must_fail"` // of a repair
	MayFail  bool `json:"may_fail"`
}

// editRow is what a row of edit has of its own, and so on.
type editRow struct{ Tier, File, Old, New string }

type dialectRow struct {
	Dialect          string
	Chunks           []string
	Content          *string
	Error            json.RawMessage
	DropsUnknown     bool            `json:"drops_unknown"`
	ReasoningInline  json.RawMessage `json:"reasoning_inline"`
	ArgumentsPartial bool            `json:"arguments_partial"`
	Includes         json.RawMessage `json:"content_includes"`
	Excludes         json.RawMessage `json:"content_excludes"`
}

type schemaRow struct {
	Rows []*benchRow // calls for the same tools
	Name string
	Args json.RawMessage
}

type guardRow struct {
	Cmd, Label, Sev string
	Accept          []string
	Policies        map[string]string
}

// unfold gives the calls that stand in one row for their tools.
func (r *benchRow) unfold() []*benchRow {
	if r.Rows == nil {
		return []*benchRow{r}
	}
	for _, inner := range r.Rows {
		inner.Tools = r.Tools
		inner.raw, _ = json.Marshal(map[string]any{"id": inner.ID, "name": inner.Name, "args": inner.Args, "kind": inner.Kind, "expect": inner.Expect, "want": inner.Want}) // it was just read
	}
	return r.Rows
}

// text is the JSON text that a member holds; "" for another value.
func text(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) != nil {
		return ""
	}
	return s
}

var editCorpus = Corpus{
	Name: "edit", About: "texts to replace that differ from the file: the edit has to be made, refused, or either", Own: []string{"edit", "--batch"},
	groups: []string{"must", "may", "refuse"}, right: []string{"right", "refused as it may"},
	figures: []figure{{"right", "must", []string{"right"}}, {"wrong", "must", []string{"wrong", "wrong white space"}}, {"refused", "must", []string{"refused", "missing"}}, {"traps refused", "refuse", []string{"right"}}},
	ask: func(r *benchRow, _ BenchOptions) any {
		return map[string]string{"id": r.ID, "file": r.File, "old": r.Old, "new": r.New}
	},
	judge: func(r *benchRow, _ BenchOptions, answer []byte) (group, verdict string) {
		var a struct {
			File  *string
			Error json.RawMessage
		}
		_ = json.Unmarshal(answer, &a) // no answer is missing
		changed := a.File != nil && (a.Error == nil || string(a.Error) == "null" || string(a.Error) == `""`) && *a.File != r.File
		want := text(r.Expect)
		switch {
		case !changed && r.Tier == "refuse":
			return r.Tier, "right"
		case !changed && r.Tier == "may":
			return r.Tier, "refused as it may"
		case !changed:
			return r.Tier, "refused"
		case r.Tier != "refuse" && *a.File == want:
			return r.Tier, "right"
		case r.Tier != "refuse" && noBlanks(*a.File) == noBlanks(want):
			return r.Tier, "wrong white space"
		}
		return r.Tier, "wrong"
	},
}

func noBlanks(s string) string {
	return strings.NewReplacer(" ", "", "\t", "", "\r", "", "\n", "").Replace(s)
}

var dialectsCorpus = Corpus{
	Name: "dialects", About: "what models write as text, in 60 tool-call formats: the calls and the rest", Own: []string{"dialect", "parse", "--batch"},
	right:   []string{"right"},
	figures: []figure{{"right", "", []string{"right"}}, {"calls right", "", []string{"right", "content differs"}}},
	ask: func(r *benchRow, o BenchOptions) any {
		q := map[string]any{"id": r.ID, "dialect": r.Dialect, "tools": r.Tools}
		if r.Tools == nil {
			q["tools"] = []any{}
		}
		whole := strings.Join(r.Chunks, "")
		if r.Input != nil {
			whole = *r.Input
		}
		switch {
		case o.Pieces == "chunks" && r.Chunks != nil:
			q["chunks"] = r.Chunks
		case o.Pieces == "bytes":
			q["chunks"] = strings.Split(whole, "")
		default:
			q["input"] = whole
		}
		return q
	},
	judge: judgeDialect,
}

// benchCall is a call in an answer.
type benchCall struct {
	Name      string
	Arguments json.RawMessage
}

func judgeDialect(r *benchRow, _ BenchOptions, answer []byte) (group, verdict string) {
	var a struct {
		Calls   []benchCall
		Content *string
		Error   any
	}
	var want []benchCall
	_ = json.Unmarshal(answer, &a) // no answer is missing
	if json.Unmarshal(r.Expect, &want) != nil {
		return r.Dialect, "the row is wrong"
	}
	if r.DropsUnknown {
		a.Calls = slices.DeleteFunc(a.Calls, func(c benchCall) bool { return !bytes.Contains(r.Tools, []byte(`"name":"`+c.Name+`"`)) })
	}
	if r.Error != nil {
		if a.Error != nil && a.Error != "" || len(a.Calls) == 0 {
			return r.Dialect, "right"
		}
		return r.Dialect, "calls differ"
	}
	same := len(a.Calls) == len(want)
	for i := 0; same && i < len(want); i++ {
		same = a.Calls[i].Name == want[i].Name && (equalJSON(a.Calls[i].Arguments, want[i].Arguments) || r.ArgumentsPartial && holdsJSON(a.Calls[i].Arguments, want[i].Arguments))
	}
	trim := func(s *string) string {
		if s == nil {
			return ""
		}
		return strings.TrimSpace(*s)
	}
	switch loose := r.ReasoningInline != nil || r.ArgumentsPartial || r.Includes != nil || r.Excludes != nil; {
	case !same:
		return r.Dialect, "calls differ"
	case !loose && trim(a.Content) != trim(r.Content):
		return r.Dialect, "content differs"
	}
	return r.Dialect, "right"
}

var schemaCorpus = Corpus{
	Name: "schema", About: "calls and their JSON Schemas: right ones are taken as they are, what cannot be misread is coerced, the rest refused", Own: []string{"schema", "call", "--batch"},
	right: []string{"right"}, groups: []string{"ground truth"},
	figures: []figure{{"right", "", []string{"right"}}, {"ground truth accepted", "ground truth", []string{"right"}}},
	ask: func(r *benchRow, _ BenchOptions) any {
		return map[string]any{"id": r.ID, "tools": r.Tools, "name": r.Name, "args": r.Args}
	},
	judge: func(r *benchRow, _ BenchOptions, answer []byte) (group, verdict string) {
		var a struct {
			OK    *bool
			Args  json.RawMessage
			Notes []any
		}
		_ = json.Unmarshal(answer, &a) // no answer is missing
		ok := a.OK != nil && *a.OK
		none := r.Want == nil || string(r.Want) == "null"
		right := false
		switch text(r.Expect) {
		case "accept":
			right = ok && equalJSON(a.Args, r.Want)
		case "coerce":
			right = ok && len(a.Notes) > 0 && (none || equalJSON(a.Args, r.Want))
		default:
			var hint struct {
				DidYouMean string `json:"did_you_mean"`
			}
			_ = json.Unmarshal(r.Want, &hint) // most rows have none
			name, _ := json.Marshal(hint.DidYouMean)
			right = a.OK != nil && !ok && bytes.Contains(answer, bytes.Trim(name, `"`))
		}
		if right {
			return r.Kind, "right"
		}
		return r.Kind, "wrong"
	},
}

var repairCorpus = Corpus{
	Name: "repair", About: "damaged JSON: what it means, or that it cannot be said", Own: []string{"repair", "--batch"},
	right:   []string{"right"},
	figures: []figure{{"right", "", []string{"right"}}, {"refused", "", []string{"refused", "missing"}}, {"silently wrong", "", []string{"silently wrong"}}},
	ask: func(r *benchRow, _ BenchOptions) any {
		return map[string]any{"id": r.ID, "input": r.Input}
	},
	judge: func(r *benchRow, _ BenchOptions, answer []byte) (group, verdict string) {
		var a struct {
			Output json.RawMessage
			Error  any
		}
		_ = json.Unmarshal(answer, &a) // no answer is missing
		var want []json.RawMessage
		_ = json.Unmarshal(r.Want, &want)
		switch repaired := a.Output != nil && (a.Error == nil || a.Error == ""); {
		case repaired && !r.MustFail && slices.ContainsFunc(want, func(w json.RawMessage) bool { return equalJSON(a.Output, w) }), !repaired && (r.MustFail || r.MayFail):
			return r.Kind, "right"
		case repaired:
			return r.Kind, "silently wrong"
		}
		return r.Kind, "refused"
	},
}

// guardModes are the policies of rows by the name of the mode.
var guardModes = map[string]string{"read-only": "read_only", "full": "full"}

var guardCorpus = Corpus{
	Name: "guard", About: "shell commands: safe ones, ones that a person has to approve, and ones that are denied", Own: []string{"guard", "judge", "--batch"},
	groups: []string{"safe", "ask-low", "ask-high", "deny"}, right: []string{"right"},
	figures: []figure{{"safe interrupted", "safe", []string{"interrupted"}}, {"deny let through", "deny", []string{"let through", "missing"}}, {"ask-high let through", "ask-high", []string{"let through", "missing"}},
		{"ask-low let through", "ask-low", []string{"let through", "missing"}}, {"deny only asked", "deny", []string{"only asked"}}},
	ask: func(r *benchRow, o BenchOptions) any {
		if want, _ := r.verdict(o); want == "" {
			return nil
		}
		mode := o.Mode
		if mode == "" {
			mode = "supervised"
		}
		return map[string]string{"id": r.ID, "cmd": r.Cmd, "mode": mode}
	},
	judge: func(r *benchRow, o BenchOptions, answer []byte) (group, verdict string) {
		var a struct{ Decision string }
		_ = json.Unmarshal(answer, &a) // no answer is missing
		want, accept := r.verdict(o)
		have := map[string]string{"allow": "safe", "ask": "ask", "deny": "deny"}[a.Decision]
		group = want
		if want == "ask" {
			group += "-" + cmp.Or(r.Sev, "high")
		}
		switch {
		case have == "":
			return group, "missing"
		case slices.Contains(accept, have):
			return group, "right"
		case want == "safe":
			return group, "interrupted"
		case have == "safe":
			return group, "let through"
		case want == "deny":
			return group, "only asked"
		}
		return group, "right" // stricter than wanted, and not for a safe command
	},
}

// verdict is what a mode wants of a command, and what is as good; "": nothing is known.
func (r *benchRow) verdict(o BenchOptions) (want string, accept []string) {
	if policy := guardModes[o.Mode]; policy != "" {
		return r.Policies[policy], []string{r.Policies[policy]}
	}
	return r.Label, append([]string{r.Label}, r.Accept...)
}

// equalJSON reports whether two texts are the same JSON value: 1 is 1.0, true is not 1, and the order of keys does not count.
func equalJSON(a, b json.RawMessage) bool {
	x, ok1 := decoded(a)
	y, ok2 := decoded(b)
	return ok1 && ok2 && equalValues(x, y)
}

// holdsJSON reports whether an object has all members of another one.
func holdsJSON(a, b json.RawMessage) bool {
	x, _ := decoded(a)
	y, _ := decoded(b)
	have, ok1 := x.(map[string]any)
	want, ok2 := y.(map[string]any)
	for key, value := range want {
		if other, ok := have[key]; !ok || !equalValues(other, value) {
			return false
		}
	}
	return ok1 && ok2
}

func decoded(text json.RawMessage) (value any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err := d.Decode(&value)
	return value, err == nil
}

func equalValues(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		other, ok := b.(json.Number)
		x, _, err1 := big.ParseFloat(a.String(), 10, 256, big.ToNearestEven)
		y, _, err2 := big.ParseFloat(other.String(), 10, 256, big.ToNearestEven)
		return ok && (a == other || err1 == nil && err2 == nil && x.Cmp(y) == 0)
	case map[string]any:
		other, ok := b.(map[string]any)
		if !ok || len(a) != len(other) {
			return false
		}
		for key, value := range a {
			if second, ok := other[key]; !ok || !equalValues(value, second) {
				return false
			}
		}
		return true
	case []any:
		other, ok := b.([]any)
		return ok && slices.EqualFunc(a, other, equalValues)
	}
	return a == b
}
