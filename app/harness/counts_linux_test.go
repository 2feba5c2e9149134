//go:build linux && !race

package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"rein/app/settings"
	"rein/event"
	"rein/model"
)

// counts are what one turn cost, whatever the speed of the machine.
type counts struct {
	allocated, bytes int // on the heap
	reads, writes    int // system calls of this process and of programs of its that ended, as the kernel counts them
	request          int // bytes of the request that follows, more than in the one before
}

// standardTurns are the turns whose counts must not grow by more than a tenth and a few. Who moves a number says in the commit what grew and why.
// 0 is not compared: the first turn pays for what begins with the session, and a program of ours reads of all processes of the machine.
var standardTurns = []struct {
	what, tool string
	calls      []string // their arguments
	most       counts
}{
	{"the first read", "read_file", []string{`{"path":"a.txt"}`}, counts{}},
	{"a read", "read_file", []string{`{"path":"b.txt"}`}, counts{520, 100000, 6, 6, 2754}},
	{"8 reads", "read_file", []string{`{"path":"d/0.txt"}`, `{"path":"d/1.txt"}`, `{"path":"d/2.txt"}`, `{"path":"d/3.txt"}`, `{"path":"d/4.txt"}`, `{"path":"d/5.txt"}`, `{"path":"d/6.txt"}`, `{"path":"d/7.txt"}`}, counts{3950, 640000, 28, 12, 21628}},
	{"a directory", "list_dir", []string{`{"path":"d"}`}, counts{580, 91000, 2, 6, 318}},
	{"glob", "glob", []string{`{"pattern":"**/7.txt"}`}, counts{500, 88000, 2, 6, 209}},
	{"grep", "grep", []string{`{"pattern":"line 7 of"}`}, counts{650, 234000, 12, 6, 925}},
	{"an edit", "edit_file", []string{`{"path":"a.txt","old_text":"line 7 of","new_text":"line seven of"}`}, counts{1900, 252000, 0, 23, 702}},
	{"a new file", "write_file", []string{`{"path":"new.txt","content":"some text\n"}`}, counts{910, 132000, 4, 14, 273}},
	{"the shell", "bash", []string{`{"command":"true"}`}, counts{1010, 165000, 0, 6, 234}},
	{"the shell writes", "bash", []string{`{"command":"echo x > x.txt"}`}, counts{1550, 250000, 0, 13, 249}},
}

// counter is the model of the standard turns. It counts between its requests.
type counter struct {
	turns [][]model.Part
	at    []counts // when each request came, with the bytes of the whole request
}

func (*counter) Info() model.Info { return model.Info{Provider: "script", Name: "counter"} }

func (m *counter) Stream(_ context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	now := countsNow()
	text, _ := json.Marshal(r)
	now.request = len(text)
	m.at = append(m.at, now)
	message := &model.Message{Role: model.Assistant, Parts: []model.Part{model.Text("ready")}}
	if n := len(m.at) - 1; n < len(m.turns) {
		message.Parts = m.turns[n]
	}
	return func(yield func(model.Chunk, error) bool) {
		yield(model.Chunk{Kind: model.Done, Message: message, Stop: model.StopEnd, Usage: model.Usage{Input: 10, Output: 5}}, nil)
	}
}

func countsNow() (c counts) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	c.allocated, c.bytes = int(m.Mallocs), int(m.TotalAlloc)
	text, _ := os.ReadFile("/proc/self/io")
	for line := range strings.Lines(string(text)) {
		_, _ = fmt.Sscanf(line, "syscr: %d", &c.reads)
		_, _ = fmt.Sscanf(line, "syscw: %d", &c.writes)
	}
	return c
}

func (c counts) lessOf(o counts) counts {
	return counts{min(c.allocated, o.allocated), min(c.bytes, o.bytes), min(c.reads, o.reads), min(c.writes, o.writes), min(c.request, o.request)}
}

// TestTurnsCostWhatTheyDid runs ten turns again and again, without a sandbox, until the least of each count is what it may be. What runs beside
// a turn adds to a count, and never to all of them.
func TestTurnsCostWhatTheyDid(t *testing.T) {
	least := make([]counts, len(standardTurns))
	var grown []string
	for round := range 25 {
		m := runStandardTurns(t)
		grown = nil
		for i, turn := range standardTurns {
			a, b := m.at[i], m.at[i+1]
			c := counts{b.allocated - a.allocated, b.bytes - a.bytes, b.reads - a.reads, b.writes - a.writes, b.request - a.request}
			if round > 0 {
				c = c.lessOf(least[i])
			}
			least[i] = c
			grown = append(grown, c.above(turn.what, turn.most)...)
		}
		if len(grown) == 0 {
			return
		}
	}
	for _, line := range grown {
		t.Error(line)
	}
	for i, turn := range standardTurns {
		t.Logf("%-18s counts{%d, %d, %d, %d, %d}", turn.what, least[i].allocated, least[i].bytes, least[i].reads, least[i].writes, least[i].request)
	}
}

// above says which counts are larger than they may be.
func (c counts) above(what string, most counts) (all []string) {
	for _, v := range []struct {
		name            string
		got, most, more int
	}{
		{"allocations", c.allocated, most.allocated, 40}, {"bytes allocated", c.bytes, most.bytes, 8 << 10}, {"reads", c.reads, most.reads, 3},
		{"writes", c.writes, most.writes, 3}, {"bytes of the request", c.request, most.request, 40},
	} {
		if v.most > 0 && v.got > v.most+v.most/10+v.more {
			all = append(all, fmt.Sprintf("%s: %d %s, and it was %d", what, v.got, v.name, v.most))
		}
	}
	return all
}

func runStandardTurns(t *testing.T) *counter {
	root := t.TempDir()
	work, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for i := range 40 {
		text += fmt.Sprintf("line %d of a file of source text, as long as lines are\n", i)
	}
	for _, name := range []string{"a.txt", "b.txt", "d/0.txt", "d/1.txt", "d/2.txt", "d/3.txt", "d/4.txt", "d/5.txt", "d/6.txt", "d/7.txt"} {
		write(t, filepath.Join(work, name), text)
	}
	m := &counter{}
	for i, turn := range standardTurns {
		var parts []model.Part
		for k, args := range turn.calls {
			parts = append(parts, model.Part{Kind: model.CallKind, ID: fmt.Sprintf("call%02d_%d", i, k), Name: turn.tool, Args: args})
		}
		m.turns = append(m.turns, parts)
	}
	d := settings.Dirs{Config: root + "/c", Sessions: root + "/s", Output: root + "/o", Private: root + "/p", State: root + "/t"}
	h, err := Open(t.Context(), Options{Dir: work, Dirs: d, Terms: event.Terms{Sandbox: "off", Mode: "full"}})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(context.Background())
	s, err := h.Start(t.Context(), NewSession{Model: m})
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range s.Send(t.Context(), model.Text("go")) {
		if err != nil || e.Kind == event.Replied && e.Result.Failed {
			t.Fatalf("%+v, %+v, %v", e, e.Result, err)
		}
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return m
}
