package dialect

// The files recovery_… turn calls that a model meant, but that arrived as text or damaged, into calls; everything
// that is not certainly one stays text.

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"

	"rein/model"
	"rein/schema"
)

// RecoveredTurn is one finished answer of a model.
type RecoveredTurn struct {
	Text   string
	Native []RecoveredCall // the calls that arrived as calls
	// Cut: the answer ended at the token limit. Nothing of its text is recovered then.
	Cut bool
	// Failed: Text is what the provider could not read as a call, and nothing else.
	Failed bool
	// Seen is what the model has read: the messages of the user, the results of calls, the instructions. A call that is in
	// one of them may be quoted from it, so it stays text.
	Seen []string
	// Tools are the tools offered. Without tools nothing is promoted.
	Tools []Tool
}

// RecoveredCall is a call as it arrived or as it is to be run.
type RecoveredCall struct {
	ID   string
	Name string
	Args string // JSON where it arrived so
	// Runs: the call may run, because exactly this name was offered, and the answer was not cut inside of it. One that may
	// not is kept, so that the model gets a result.
	Runs bool
}

// Outcome is what became of a turn.
type Outcome struct {
	Calls []RecoveredCall
	// Show is the text without the calls that were in it.
	Show string
	// Notes say what was changed or refused, in words for the model.
	Notes []string
	// Quoted: a call stays text because the model has read the same call. Notes say so.
	Quoted bool
	// Plain: what the provider could not read as a call was an answer in words.
	Plain bool
	// Changed: Calls or Show differ from what arrived, so that the stored turn must be written again: a model
	// imitates the leaks in its history.
	Changed bool
}

// Recover decides what of a turn is a call. Text becomes a call only when all of this holds: the turn has no native call, and tools were offered; the calls
// are whole, at the end of the text, and every way to read them gives the same; their names are known exactly, and their arguments fit; the model has not
// read the same call anywhere. The names of native calls lose the marks of wire formats; they are never guessed.
func Recover(t RecoveredTurn) Outcome {
	box := newRecoveryTools(t.Tools)
	if len(t.Native) > 0 {
		return box.native(t)
	}
	out := Outcome{Show: t.Text}
	if t.Cut || len(t.Tools) == 0 {
		return out
	}
	l, ok := box.leak(t)
	if !ok {
		out.Notes, out.Quoted = l.notes, l.quoted
		out.Plain = t.Failed && isPlain(t.Text)
		return out
	}
	return Outcome{Calls: l.calls, Show: l.show, Notes: append(l.notes, "a call that the model wrote into its text was recovered"), Changed: true}
}

// isPlain reports whether a text has nothing of a call in it.
func isPlain(text string) bool {
	if strings.TrimSpace(text) == "" || malformed().MatchString(text) || strings.ContainsAny(text, "<{[") {
		return false
	}
	for _, r := range formsToTry(false) {
		if strings.Contains(text, r.mark) {
			return false
		}
	}
	return !strings.Contains(text, "default_api")
}

// recoveryTools holds the tools offered.
type recoveryTools struct {
	tools   []Tool
	schemas map[string]func() *schema.Schema // read when first needed: nearly no turn has a leak
}

// errUnreadable is why nothing leaked may run a tool that no provider was given: its arguments cannot be checked.
var errUnreadable = errors.New("the tool's schema cannot be read")

func newRecoveryTools(tools []Tool) *recoveryTools {
	b := &recoveryTools{tools: tools, schemas: make(map[string]func() *schema.Schema, len(tools))}
	for _, t := range tools {
		b.schemas[t.Name] = sync.OnceValue(func() *schema.Schema {
			spec := model.ToolSpec{Schema: t.Parameters}
			s, err := schema.Parse(spec.Parameters())
			if err != nil {
				return nil
			}
			return s
		})
	}
	return b
}

func (b *recoveryTools) known(name string) bool {
	_, ok := b.schemas[name]
	return ok
}

// fit returns the arguments fitted to a tool's schema.
func (b *recoveryTools) fit(name string, args json.RawMessage) (json.RawMessage, error) {
	read := b.schemas[name]
	if read == nil {
		return args, nil
	}
	s := read()
	if s == nil {
		return nil, errUnreadable
	}
	checked, err := s.Check(args)
	return checked.Args, err
}

// name returns the offered name that a damaged one holds: the one name among words of wire formats. It returns false when
// there is none, more than one, or any other word.
func (b *recoveryTools) name(raw string) (string, bool) {
	if b.known(raw) {
		return raw, true
	}
	found := ""
	for _, piece := range splitName(raw) {
		for _, word := range strings.Fields(piece) {
			name, ok := b.word(word)
			switch {
			case ok && (found == "" || found == name):
				found = name
			case ok || !slices.Contains(wireWords, word):
				return "", false
			}
		}
	}
	return found, found != ""
}

// wireWords are the words that harmony puts beside a name.
var wireWords = []string{"json", "assistant", "commentary", "analysis", "final", "code"}

// word returns the offered name that one word is, the marks of wire formats taken off.
func (b *recoveryTools) word(word string) (string, bool) {
	for _, form := range stripped(word) {
		if b.known(form) {
			return form, true
		}
	}
	return "", false
}

// splitName splits a name at control tokens, as in NAME<|channel|>commentary.
func splitName(raw string) []string {
	var all []string
	for {
		k := strings.Index(raw, "<|")
		if k < 0 {
			return append(all, raw)
		}
		all = append(all, raw[:k])
		_, rest, ok := strings.Cut(raw[k:], "|>")
		if !ok {
			return all
		}
		raw = rest
	}
}

// stripped returns a name with the marks taken off that wire formats put around it.
func stripped(name string) []string {
	name = strings.Trim(strings.TrimSpace(name), "\"'`")
	name = strings.TrimSuffix(name, "()")
	for _, prefix := range []string{"to=", "functions.", "function.", "default_api.", "default_api:", "tools.", "tool."} {
		name = strings.TrimPrefix(name, prefix)
	}
	forms := []string{name}
	if k := strings.LastIndexByte(name, ':'); k > 0 && strings.Trim(name[k+1:], "0123456789") == "" {
		forms = append(forms, name[:k])
	}
	return forms
}

// argumentsObject returns arguments as a JSON object: nothing is {}, and an object that was encoded twice is decoded.
func argumentsObject(args string) (json.RawMessage, bool) {
	raw := bytes.TrimSpace([]byte(args))
	for range 2 {
		if len(raw) == 0 || string(raw) == "null" {
			return json.RawMessage("{}"), true
		}
		var inner string
		if raw[0] != '"' || json.Unmarshal(raw, &inner) != nil {
			break
		}
		raw = bytes.TrimSpace([]byte(inner))
	}
	return raw, len(raw) > 0 && raw[0] == '{' && json.Valid(raw)
}
