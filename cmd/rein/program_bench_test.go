package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// These benchmarks run the real binary against a model server on loopback with the OpenAI chat protocol, and
// report what rein itself costs: from the last byte of a reply to the last byte of the next request. Medians; compare
// them side by side, the machine is noisy. How to run them: docs/maintainers/performance.md.

// play is a model that answers each request by the next of its turns, and keeps the clock.
type play struct {
	turns    []string // each a whole stream
	mu       sync.Mutex
	next     int
	replied  time.Time
	arrivals []time.Time
	gaps     []time.Duration
	pid      atomic.Int64
	peak     int64 // kB of memory of the process when it last asked
}

// memory reads the peak of the process. The number from wait would include the memory of the test that forked it.
func (p *play) memory() int64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid.Load()))
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	var kb int64
	fmt.Sscan(after, &kb)
	return kb
}

func (p *play) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return
	}
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.arrivals = append(p.arrivals, now)
	p.peak = max(p.peak, p.memory())
	if !p.replied.IsZero() {
		p.gaps = append(p.gaps, now.Sub(p.replied))
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if p.next >= len(p.turns) {
		http.Error(w, "the play is over", http.StatusBadRequest)
		return
	}
	io.WriteString(w, p.turns[p.next])
	p.next++
	w.(http.Flusher).Flush()
	p.replied = time.Now()
}

func chunkOf(delta string) string {
	return `data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":` + delta + `,"finish_reason":null}]}` + "\n\n"
}

func endOf(reason string) string {
	return `data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}` + "\n\n" +
		`data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}` + "\n\ndata: [DONE]\n\n"
}

func textTurn(text string) string {
	return chunkOf(fmt.Sprintf(`{"content":%q}`, text)) + endOf("stop")
}

var callNumber int

// callTurn calls a tool n times with the same arguments, written in pieces of size bytes; 0 is one piece.
func callTurn(n int, name, args string, size int) string {
	var b strings.Builder
	for i := range n {
		callNumber++
		fmt.Fprint(&b, chunkOf(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":"call_%d","type":"function","function":{"name":%q,"arguments":""}}]}`, i, callNumber, name)))
		for rest := args; rest != ""; {
			piece := rest
			if size > 0 && len(piece) > size {
				piece = piece[:size]
			}
			rest = rest[len(piece):]
			fmt.Fprint(&b, chunkOf(fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%q}}]}`, i, piece)))
		}
	}
	return b.String() + endOf("tool_calls")
}

// built is the binary that is measured: that of this tree, or the one of REIN_BENCH_BINARY, for an older program beside it.
var built = sync.OnceValues(func() (string, error) {
	if other := os.Getenv("REIN_BENCH_BINARY"); other != "" {
		return other, nil
	}
	dir, err := os.MkdirTemp("", "rein-bench-")
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "rein")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", name, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return name, nil
})

// perform runs the binary against the play and gives when it started.
func perform(b *testing.B, p *play, dir string, args ...string) (start time.Time) {
	b.Helper()
	binary, err := built()
	if err != nil {
		b.Fatal(err)
	}
	server := httptest.NewServer(p)
	defer server.Close()
	cmd := exec.Command(binary, append([]string{"run", "-q", "-p", "--mode", "full", "--max-turns", "100000", "-m", "openai/m", "-C", dir, "go"}, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Dir(binary), "REIN_HOME=" + b.TempDir(), "OPENAI_API_KEY=k", "OPENAI_BASE_URL=" + server.URL}
	var failed strings.Builder
	cmd.Stderr = &failed
	start = time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	p.pid.Store(int64(cmd.Process.Pid))
	if err := cmd.Wait(); err != nil {
		b.Fatalf("%v: %s", err, failed.String())
	}
	return start
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

func report(b *testing.B, d time.Duration, unit string) {
	b.ReportMetric(float64(d.Microseconds())/1000, unit)
	b.ReportMetric(0, "ns/op")
}

func workspaceWith(b *testing.B, files map[string]string) string {
	b.Helper()
	dir := b.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

var source = strings.Repeat("a line of source text, as long as lines are\n", 25) // 1.1 KB

func BenchmarkProgramStart(b *testing.B) {
	dir := workspaceWith(b, nil)
	var all []time.Duration
	for range b.N {
		p := &play{turns: []string{textTurn("hello")}}
		start := perform(b, p, dir)
		all = append(all, p.arrivals[0].Sub(start))
	}
	report(b, median(all), "ms-to-first-request")
}

// turnsOf are n turns of calls, each with arguments of its own: the same call again and again would be asked about.
func turnsOf(n, calls int, name, args string) []string {
	turns := make([]string, n)
	for i := range turns {
		turns[i] = callTurn(calls, name, fmt.Sprintf(args, i+1000), 0)
	}
	return append(turns, textTurn("done"))
}

func benchmarkTurns(b *testing.B, n, calls int, name, args string) {
	dir := workspaceWith(b, map[string]string{"a.txt": source})
	var all []time.Duration
	var memory int64
	for range b.N {
		p := &play{turns: turnsOf(n, calls, name, args)}
		perform(b, p, dir)
		all = append(all, p.gaps...)
		memory = max(memory, p.peak)
	}
	report(b, median(all), "ms/turn")
	b.ReportMetric(float64(memory)/1024, "MB-peak")
}

func BenchmarkProgramTurnOneRead(b *testing.B) {
	benchmarkTurns(b, 50, 1, "read_file", `{"path":"a.txt","limit":%d}`)
}

func BenchmarkProgramTurnEightReads(b *testing.B) {
	benchmarkTurns(b, 50, 8, "read_file", `{"path":"a.txt","limit":%d}`)
}

func BenchmarkProgramTurnShellTrue(b *testing.B) {
	benchmarkTurns(b, 50, 1, "bash", `{"command":"true %d"}`)
}

func BenchmarkProgramTurnShellTrueNoSandbox(b *testing.B) {
	dir := workspaceWith(b, nil)
	var all []time.Duration
	for range b.N {
		p := &play{turns: turnsOf(50, 1, "bash", `{"command":"true %d"}`)}
		perform(b, p, dir, "--sandbox", "off")
		all = append(all, p.gaps...)
	}
	report(b, median(all), "ms/turn")
}

func BenchmarkProgramEightSleeps(b *testing.B) {
	benchmarkTurns(b, 3, 8, "bash", `{"command":"sleep 0.2; true %d"}`)
}

func BenchmarkProgramCat50MB(b *testing.B) {
	dir := workspaceWith(b, map[string]string{"big.log": strings.Repeat("0123456789 a line of a log that is fifty bytes lon\n", 1<<20)})
	var all []time.Duration
	var memory int64
	for range b.N {
		p := &play{turns: []string{callTurn(1, "bash", `{"command":"true"}`, 0), callTurn(1, "bash", `{"command":"cat big.log"}`, 0), textTurn("done")}}
		perform(b, p, dir)
		all = append(all, p.gaps[1])
		memory = max(memory, p.peak)
	}
	report(b, median(all), "ms/turn")
	b.ReportMetric(float64(memory)/1024, "MB-peak")
}

func BenchmarkProgramWindowOf50MB(b *testing.B) {
	dir := workspaceWith(b, map[string]string{"big.log": strings.Repeat("0123456789 a line of a log that is fifty bytes lon\n", 1<<20)})
	var all []time.Duration
	for range b.N {
		p := &play{turns: []string{callTurn(1, "bash", `{"command":"true"}`, 0), callTurn(1, "read_file", `{"path":"big.log","offset":400000,"limit":100}`, 0), textTurn("done")}}
		perform(b, p, dir)
		all = append(all, p.gaps[1])
	}
	report(b, median(all), "ms/turn")
}

func BenchmarkProgramWrite400KBIn16ByteDeltas(b *testing.B) {
	content := strings.Repeat("a line of source text, as long as lines are\\n", 400<<10/44)
	dir := workspaceWith(b, nil)
	var all []time.Duration
	for range b.N {
		os.Remove(filepath.Join(dir, "big.txt"))
		p := &play{turns: []string{callTurn(1, "bash", `{"command":"true"}`, 0), callTurn(1, "write_file", `{"path":"big.txt","content":"`+content+`"}`, 16), textTurn("done")}}
		perform(b, p, dir)
		all = append(all, p.gaps[1])
	}
	report(b, median(all), "ms/turn")
}

func BenchmarkProgram500Turns(b *testing.B) {
	dir := workspaceWith(b, map[string]string{"a.txt": source})
	var first, last []time.Duration
	for range b.N {
		p := &play{turns: turnsOf(500, 1, "read_file", `{"path":"a.txt","limit":%d}`)}
		perform(b, p, dir)
		first = append(first, p.gaps[:10]...)
		last = append(last, p.gaps[490:500]...)
	}
	b.ReportMetric(float64(median(first).Microseconds())/1000, "ms/turn-1-10")
	report(b, median(last), "ms/turn-491-500")
}
