//go:build linux

package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"rein/app/settings"
	"rein/event"
	"rein/journal"
	"rein/model"
	"rein/tool"
)

// asker is a model that asks for the same number of calls in each of its turns. It keeps no state, so that both loops pay
// the same for it.
type asker struct {
	turns, calls int
	name, args   string // the arguments hold one number: a guard asks about the same call again and again
}

func (asker) Info() model.Info { return model.Info{Provider: "script", Name: "asker"} }

func (m asker) Stream(_ context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		n := len(r.Messages) / 2
		message := &model.Message{Role: model.Assistant, Parts: []model.Part{model.Text("ready")}}
		if n < m.turns {
			message.Parts = nil
			for i := range m.calls {
				message.Parts = append(message.Parts, model.Part{Kind: model.CallKind, ID: fmt.Sprintf("call%05d_%d", n, i), Name: m.name, Args: fmt.Sprintf(m.args, 1000+n*m.calls+i)})
			}
		}
		yield(model.Chunk{Kind: model.Done, Message: message, Stop: model.StopEnd, Usage: model.Usage{Input: 10, Output: 5}}, nil)
	}
}

// BenchmarkTurns measures whole turns of a session beside a loop that does the same with nothing around it: it asks the same
// model, reads the file or starts the program, and writes the same events to a synced journal. The two take turns, so that
// other work on the machine disturbs both alike. It reports medians of the time that passes, and the processor time of all processes
// that take part; each as a ratio. The first turn of a session makes its sandbox, which a model that answers at once does not hide;
// the turns after it are given by themselves, too. REIN_BENCH_WORKSPACE names a directory of which they work in a copy. Figures are in docs/maintainers/performance.md.
func BenchmarkTurns(b *testing.B) {
	for _, row := range []struct {
		name, sandbox string
		model         asker
	}{
		{"read", "auto", asker{25, 1, "read_file", `{"path":"a.txt","limit":%d}`}},
		{"shell", "auto", asker{25, 1, "bash", `{"command":"true %d"}`}},
		{"shell without a sandbox", "off", asker{25, 1, "bash", `{"command":"true %d"}`}},
		{"8 sleeps", "auto", asker{2, 8, "bash", `{"command":"sleep 0.2; true %d"}`}},
	} {
		b.Run(row.name, func(b *testing.B) { benchmarkTurns(b, row.model, row.sandbox) })
	}
}

func benchmarkTurns(b *testing.B, m asker, sandbox string) {
	root := b.TempDir()
	work, err := filepath.EvalSymlinks(b.TempDir())
	if from := os.Getenv("REIN_BENCH_WORKSPACE"); err == nil && from != "" {
		err = exec.Command("cp", "-a", from+"/.", work).Run()
	}
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(work, "a.txt"), []byte(strings.Repeat("a line of source text, as long as lines are\n", 25)), 0o600); err != nil {
		b.Fatal(err)
	}
	d := settings.Dirs{Config: root + "/c", Sessions: root + "/s", Output: root + "/o", Private: root + "/p", State: root + "/t"}
	h, err := Open(b.Context(), Options{Dir: work, Dirs: d, Terms: event.Terms{Sandbox: sandbox, Mode: "full"}})
	if err != nil {
		b.Fatal(err)
	}
	defer h.Close(context.Background())
	var ours, bare measured
	runSession(b, h, m, &measured{}) // fills caches
	for b.Loop() {
		runSession(b, h, m, &ours)
		runBare(b, m, work, &bare)
	}
	b.ReportMetric(median(ours.took)/median(bare.took), "times-bare")
	b.ReportMetric(median(ours.took)/1e6, "ms/turn")
	b.ReportMetric(median(bare.took)/1e6, "bare-ms/turn")
	b.ReportMetric(median(ours.later)/median(bare.later), "times-bare-later")
	b.ReportMetric(float64(ours.cpu)/float64(bare.cpu), "times-bare-CPU")
	b.ReportMetric(float64(ours.cpu)/1e6/float64(len(ours.took)*m.turns), "CPU-ms/turn")
	b.ReportMetric(0, "ns/op")
}

func runSession(b *testing.B, h *Harness, m asker, took *measured) {
	s, err := h.Start(b.Context(), NewSession{Model: m})
	if err != nil {
		b.Fatal(err)
	}
	took.add(b, m.turns, func() {
		for e, err := range s.Send(b.Context(), model.Text("go")) {
			if e.Kind == event.Requested {
				took.asked = append(took.asked, time.Now())
			}
			if err != nil || e.Kind == event.Stopped && e.Stop != event.Done || e.Kind == event.Replied && e.Result.Failed {
				b.Fatalf("%+v, %+v, %v", e, e.Result, err)
			}
		}
	})
	if err := s.Close(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// runBare is the loop with nothing around it.
func runBare(b *testing.B, m asker, dir string, took *measured) {
	file, _, err := journal.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	took.add(b, m.turns, func() { bareTurns(b, m, dir, file, took) })
	if err := file.Close(); err != nil {
		b.Fatal(err)
	}
}

func bareTurns(b *testing.B, m asker, dir string, file *journal.File, took *measured) {
	write := func(events ...event.Event) {
		if err := file.Append(events...); err != nil {
			b.Fatal(err)
		}
	}
	encode := func(m *model.Message) []byte { text, _ := json.Marshal(m); return text }
	messages := []*model.Message{model.UserText("go")}
	write(event.Event{Kind: event.Started}, event.Event{Kind: event.Prompted, Text: "go", Message: encode(messages[0])})
	for {
		write(event.Event{Kind: event.Requested})
		took.asked = append(took.asked, time.Now())
		var done model.Chunk
		for c := range m.Stream(b.Context(), &model.Request{Messages: messages}) {
			done = c
		}
		messages = append(messages, done.Message)
		write(event.Event{Kind: event.Responded, Message: encode(done.Message)})
		calls := done.Message.Calls()
		if len(calls) == 0 {
			break
		}
		var before []event.Event
		for _, c := range calls {
			before = append(before, event.Event{Kind: event.Called, Call: &tool.Call{ID: c.ID, Name: c.Name, Args: []byte(c.Args)}}, event.Event{Kind: event.Granted, Call: &tool.Call{ID: c.ID}})
		}
		write(before...)
		replies, results := make([]event.Event, len(calls)), make([]model.Part, len(calls))
		var wait sync.WaitGroup
		for i, c := range calls {
			wait.Go(func() {
				text := runCall(b, c, dir)
				replies[i] = event.Event{Kind: event.Replied, Call: &tool.Call{ID: c.ID}, Result: &tool.Result{ID: c.ID, Text: text}}
				results[i] = model.Result(c.ID, text, false)
			})
		}
		wait.Wait()
		write(replies...)
		messages = append(messages, model.Answer(done.Message, results...))
	}
	write(event.Event{Kind: event.Stopped})
}

func runCall(b *testing.B, c model.Part, dir string) string {
	var in struct{ Path, Command string }
	if err := json.Unmarshal([]byte(c.Args), &in); err != nil {
		b.Error(err)
	}
	if in.Path != "" {
		text, err := os.ReadFile(filepath.Join(dir, in.Path))
		if err != nil {
			b.Error(err)
		}
		return string(text)
	}
	cmd := exec.Command("bash", "--noprofile", "--norc", "-c", in.Command)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.Error(err)
	}
	return string(out)
}

// measured is what the runs of one loop took.
type measured struct {
	took  []time.Duration // of a turn
	later []time.Duration // of a turn after the first
	asked []time.Time     // when the requests of this run were sent
	cpu   time.Duration   // of all
}

func (m *measured) add(b *testing.B, turns int, run func()) {
	m.asked = nil
	start, before := time.Now(), processorTime(b)
	run()
	m.took = append(m.took, time.Since(start)/time.Duration(turns))
	m.cpu += processorTime(b) - before
	m.later = append(m.later, m.asked[turns].Sub(m.asked[1])/time.Duration(turns-1))
}

func median(all []time.Duration) float64 {
	slices.Sort(all)
	return float64(all[len(all)/2])
}

// processorTime is what this process, its children, and those that ended used so far. A child that still runs counts in steps of 10 ms.
func processorTime(b *testing.B) time.Duration {
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	for _, pid := range childrenOf("self") {
		sum += ticks(pid)
	}
	return sum
}

func childrenOf(pid string) (all []string) {
	lists, _ := filepath.Glob("/proc/" + pid + "/task/*/children")
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for _, child := range strings.Fields(string(text)) {
			all = append(append(all, child), childrenOf(child)...)
		}
	}
	return all
}

// ticks reads what a process and its ended children used.
func ticks(pid string) (sum time.Duration) {
	text, _ := os.ReadFile("/proc/" + pid + "/stat")
	_, after, _ := strings.Cut(string(text), ") ")
	if fields := strings.Fields(after); len(fields) > 14 {
		for _, f := range fields[11:15] {
			n, _ := strconv.Atoi(f)
			sum += time.Duration(n) * 10 * time.Millisecond
		}
	}
	return sum
}
