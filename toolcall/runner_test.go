package toolcall

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"rein/event"
	"rein/guard"
	"rein/tool"
)

// pathArgs are the arguments of the tools in these tests.
type pathArgs struct {
	Path string `json:"path" jsonschema:"a file"`
}

func named(name string, effect tool.Effect, intent func(pathArgs) tool.Intent, run func(context.Context, pathArgs, *tool.Reply) error) *tool.Tool {
	t := tool.New(name, name+" for tests", effect, run)
	t.Intent = func(args json.RawMessage) (tool.Intent, error) {
		var in pathArgs
		err := json.Unmarshal(args, &in)
		return intent(in), err
	}
	return t
}

func reads(in pathArgs) tool.Intent { return tool.Intent{Reads: []string{in.Path}} }

func writes(in pathArgs) tool.Intent { return tool.Intent{Writes: []string{in.Path}} }

func commands(in pathArgs) tool.Intent { return tool.Intent{Command: in.Path} }

func nothing(pathArgs) tool.Intent { return tool.Intent{} }

// knowsLook is a Normalize that knows that the program look writes nothing.
func knowsLook(i tool.Intent) tool.Intent {
	i.Unknown = i.Unknown && !strings.HasPrefix(i.Command, "look ")
	return i
}

func says(text string) func(context.Context, pathArgs, *tool.Reply) error {
	return func(_ context.Context, _ pathArgs, r *tool.Reply) error {
		_, err := r.WriteString(text)
		return err
	}
}

var allowAll = guard.Func(func(context.Context, guard.Case) guard.Verdict { return guard.Verdict{} })

func always(d guard.Decision) guard.Guard {
	return guard.Func(func(context.Context, guard.Case) guard.Verdict {
		return guard.Verdict{Decision: d, Reason: "it is a test"}
	})
}

func set(t testing.TB, tools ...*tool.Tool) tool.Set {
	t.Helper()
	s, err := tool.NewSet(tools...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func call(id, name, path string) tool.Call {
	args, _ := json.Marshal(pathArgs{path})
	return tool.Call{ID: id, Name: name, Args: args}
}

// memory is a journal for tests. It fails at an event of the kind fail.
type memory struct {
	mu     sync.Mutex
	events []event.Event
	fail   event.Kind
}

var errDisk = errors.New("disk full")

func (m *memory) Append(events ...event.Event) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range events {
		if e.Kind == m.fail {
			return errDisk
		}
		m.events = append(m.events, e)
	}
	return nil
}

func (m *memory) story() string {
	var b strings.Builder
	for _, e := range m.events {
		fmt.Fprintf(&b, "%s %s;", e.Kind, e.Call.ID)
	}
	return b.String()
}

func TestBadCallsAreRefused(t *testing.T) {
	ran := false
	spy := named("write_file", tool.Writes, writes, func(context.Context, pathArgs, *tool.Reply) error { ran = true; return nil })
	rows := []struct {
		rule string
		call tool.Call
		kind tool.Kind
		says []string
	}{
		{"an unknown tool: the nearest name is a hint", call("1", "write_fle", "a"), tool.UnknownTool, []string{`"write_fle"`, "write_file"}},
		{"arguments that are no JSON", tool.Call{Name: "write_file", Args: json.RawMessage(`{{{`)}, tool.BadArguments, nil},
		{"arguments that are no object", tool.Call{Name: "write_file", Args: json.RawMessage(`[1]`)}, tool.BadArguments, nil},
		{"a key twice", tool.Call{Name: "write_file", Args: json.RawMessage(`{"path":"a","path":"b"}`)}, tool.BadArguments, []string{"path"}},
		{"a missing argument is named", tool.Call{Name: "write_file", Args: json.RawMessage(`{}`)}, tool.BadArguments, []string{"path"}},
		{"no arguments are {}, which is not enough here", tool.Call{Name: "write_file"}, tool.BadArguments, []string{"path"}},
		{"an unknown argument: the nearest name is a hint", tool.Call{Name: "write_file", Args: json.RawMessage(`{"path":"a","pahts":1}`)}, tool.BadArguments, []string{"pahts", "path"}},
		{"more than 1 MiB", tool.Call{Name: "write_file", Args: json.RawMessage(`{"path":"` + strings.Repeat("x", 1<<20) + `"}`)}, tool.TooLarge, []string{"1048587 bytes", "at most 1048576"}},
		{"cut off by the length limit", tool.Call{Name: "write_file", Args: json.RawMessage(`{"path":"a"}`), Truncated: true}, tool.BadArguments, []string{"cut off"}},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			r := Runner{Tools: set(t, spy), Guard: allowAll}
			results, err := r.Run(t.Context(), Scope{}, []tool.Call{row.call})
			if err != nil || !results[0].Failed || results[0].Kind != row.kind {
				t.Fatalf("got %+v, %v", results[0], err)
			}
			for _, s := range row.says {
				if !strings.Contains(results[0].Text, s) {
					t.Errorf("%q does not say %q", results[0].Text, s)
				}
			}
		})
	}
	if ran {
		t.Error("the tool ran")
	}
	results, err := (&Runner{}).Run(t.Context(), Scope{}, []tool.Call{call("1", "write_file", "a")})
	if err != nil || results[0].Text != "There is no tool \"write_file\".\nThere are no tools here." {
		t.Errorf("without tools: %+v, %v", results[0], err)
	}
}

func TestRepairsAreNoted(t *testing.T) {
	var got string
	spy := named("read", tool.Reads, reads, func(_ context.Context, in pathArgs, _ *tool.Reply) error { got = in.Path; return nil })
	r := Runner{Mode: guard.Full, Tools: set(t, spy), Guard: allowAll}
	for _, args := range []string{`{'path': 'a.go',}`, `"{\"path\":\"a.go\"}"`} {
		got = ""
		results, err := r.Run(t.Context(), Scope{}, []tool.Call{{ID: "1", Name: "read", Args: json.RawMessage(args)}})
		if err != nil || results[0].Failed || got != "a.go" || len(results[0].Notes) == 0 || !strings.HasPrefix(results[0].Text, "[note: ") {
			t.Errorf("%s: %q, %+v, %v", args, got, results[0], err)
		}
	}
}

func TestNewChecksTheFields(t *testing.T) {
	good := func() Runner {
		return Runner{Tools: set(t, named("x", tool.Writes, writes, says(""))), Guard: allowAll, Approver: guard.Nobody{}, Root: "/w"}
	}
	for field, change := range map[string]func(*Runner){
		"":         func(*Runner) {},
		"Guard":    func(r *Runner) { r.Guard = nil },
		"Approver": func(r *Runner) { r.Approver = nil },
		"Root":     func(r *Runner) { r.Root = "" },
		"Root ":    func(r *Runner) { r.Root = "w" },
		"Mode":     func(r *Runner) { r.Mode = 9 },
		"Limits":   func(r *Runner) { r.Limits.Calls = -1 },
	} {
		r := good()
		change(&r)
		if made, err := New(r); (err == nil) != (field == "") || (made == nil) != (err != nil) || err != nil && !strings.Contains(err.Error(), strings.TrimSpace(field)) {
			t.Errorf("%s: %v", field, err)
		}
	}
}
