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
	{"a read", "read_file", []string{`{"path":"b.txt"}`}, counts{950, 138500, 6, 5, 2754}},
	{"8 reads", "read_file", []string{`{"path":"d/0.txt"}`, `{"path":"d/1.txt"}`, `{"path":"d/2.txt"}`, `{"path":"d/3.txt"}`, `{"path":"d/4.txt"}`, `{"path":"d/5.txt"}`, `{"path":"d/6.txt"}`, `{"path":"d/7.txt"}`}, counts{7900, 980000, 34, 7, 21628}},
	{"a directory", "list_dir", []string{`{"path":"d"}`}, counts{600, 95000, 2, 5, 318}},
	{"glob", "glob", []string{`{"pattern":"**/7.txt"}`}, counts{480, 88000, 2, 5, 209}},
	{"grep", "grep", []string{`{"pattern":"line 7 of"}`}, counts{660, 237000, 12, 5, 925}},
	{"an edit", "edit_file", []string{`{"path":"a.txt","old_text":"line 7 of","new_text":"line seven of"}`}, counts{1968, 242000, 0, 22, 702}},
	{"a new file", "write_file", []string{`{"path":"new.txt","content":"some text\n"}`}, counts{1425, 159000, 4, 12, 273}},
	{"the shell", "bash", []string{`{"command":"true"}`}, counts{1170, 182000, 0, 5, 234}},
	{"the shell writes", "bash", []string{`{"command":"echo x > x.txt"}`}, counts{1385, 222000, 0, 12, 249}},
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

// TestTurnsCostWhatTheyDid runs ten turns several times, without a sandbox, and compares the least of each count. What runs beside a turn
// adds to a count, and never to all of them.
func TestTurnsCostWhatTheyDid(t *testing.T) {
	least := make([]counts, len(standardTurns))
	for round := range 6 {
		m := runStandardTurns(t)
		for i := range standardTurns {
			a, b := m.at[i], m.at[i+1]
			c := counts{b.allocated - a.allocated, b.bytes - a.bytes, b.reads - a.reads, b.writes - a.writes, b.request - a.request}
			if round > 0 {
				c = c.lessOf(least[i])
			}
			least[i] = c
		}
	}
	for i, turn := range standardTurns {
		for name, v := range map[string][3]int{
			"allocations": {least[i].allocated, turn.most.allocated, 40}, "bytes allocated": {least[i].bytes, turn.most.bytes, 8 << 10},
			"reads": {least[i].reads, turn.most.reads, 3}, "writes": {least[i].writes, turn.most.writes, 3}, "bytes of the request": {least[i].request, turn.most.request, 40},
		} {
			if got, most := v[0], v[1]; most > 0 && got > most+most/10+v[2] {
				t.Errorf("%s: %d %s, and it was %d", turn.what, got, name, most)
			}
		}
		t.Logf("%-18s counts{%d, %d, %d, %d, %d}", turn.what, least[i].allocated, least[i].bytes, least[i].reads, least[i].writes, least[i].request)
	}
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
