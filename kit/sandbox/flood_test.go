//go:build unix

package sandbox

import (
	"bytes"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"rein/tool"
)

// gauge passes writes on and remembers the largest heap seen, looking every few MB.
type gauge struct {
	out   io.Writer
	total int64
	next  int64
	peak  uint64
}

func (g *gauge) Write(p []byte) (int, error) {
	g.total += int64(len(p))
	if g.total >= g.next {
		g.next += 64 << 20
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		g.peak = max(g.peak, m.HeapAlloc)
	}
	return g.out.Write(p)
}

// flat fails when memory grew more than a result and its buffers may.
func (g *gauge) flat(t *testing.T, before uint64) {
	t.Helper()
	if grown := int64(g.peak) - int64(before); grown > 8<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestFloodOfTenGigabytesKeepsMemoryFlat(t *testing.T) {
	size, script := int64(10_000_000_000), "head -c 10000000000 /dev/zero"
	if testing.Short() {
		size, script = 1_000_000_000, "head -c 1000000000 /dev/zero"
	}
	kept := &tool.OutputWriter{Spill: &tool.OutputStore{Dir: t.TempDir(), Prefix: "s", Quota: 8 << 20}}
	before := heap()
	g := &gauge{out: kept}
	result, err := Run(t.Context(), None{}, shell(script), g, 10*time.Minute)
	if err != nil || result.Code != 0 || result.Limit != "" || g.total != size {
		t.Errorf("got %d bytes, %+v, %v", g.total, result, err)
	}
	g.flat(t, before)
	if k := kept.Close(); k.Total != size || len(k.Text) > 4*tool.DefaultOutputLimit {
		t.Errorf("kept %d of %d bytes", len(k.Text), k.Total)
	}
}

func TestOutputIsLimited(t *testing.T) {
	for name, box := range someBoxes(t) {
		t.Run(name, func(t *testing.T) {
			for script, row := range map[string]struct {
				most  int64
				bytes int
				limit string
			}{
				"yes":                                    {1 << 20, 1 << 20, limitOutput},
				"yes >&2":                                {1 << 20, 1 << 20, limitOutput},
				"trap '' TERM; while :; do echo x; done": {1000, 1000, limitOutput},
				"echo 123":                               {4, 4, ""},
				"echo 1234":                              {4, 4, limitOutput},
				"head -c 3000000 /dev/zero":              {-1, 3_000_000, ""},
			} {
				var out bytes.Buffer
				spec := shell(script)
				spec.Limits.Output = row.most
				result, err := Run(t.Context(), box, spec, &out, time.Minute)
				if err != nil || out.Len() != row.bytes || result.Limit != row.limit || result.TimedOut {
					t.Errorf("%s: got %d bytes, %+v, %v; want %d, %q", script, out.Len(), result, err, row.bytes, row.limit)
				}
			}
		})
	}
}

func TestJobWithTooMuchOutputIsStopped(t *testing.T) {
	var jobs Jobs
	defer jobs.Close()
	for _, terminal := range []bool{false, true} {
		spec := shell("yes")
		spec.Limits.Output = 1 << 20
		job, err := jobs.Start(t.Context(), None{}, spec, JobOptions{Terminal: terminal})
		if err != nil {
			t.Fatal(err)
		}
		if result, err := job.Result(); err != nil || result.Limit != limitOutput {
			t.Errorf("terminal %v: got %+v, %v", terminal, result, err)
		}
	}
}

// trickler is a program that writes a little at a time and ignores SIGTERM.
type trickler struct {
	out    net.Conn
	piece  []byte
	every  time.Duration
	killed chan struct{}
	once   sync.Once
	polite atomic.Int32
}

func (p *trickler) Wait() (Exit, error) {
	defer p.out.Close()
	tick := time.NewTicker(p.every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			_, _ = p.out.Write(p.piece)
		case <-p.killed:
			return Exit{Code: -1, Signal: syscall.SIGKILL}, nil
		}
	}
}

func (p *trickler) Signal(syscall.Signal) error { p.polite.Add(1); return nil }
func (p *trickler) Kill() error                 { p.once.Do(func() { close(p.killed) }); return nil }

// A program that writes 1 MB each second runs until its time limit and no longer, and what it writes is
// counted, kept within bounds, and costs no memory. The clock is a fake one: 600 s pass in the time of copying 600 MB.
func TestTrickleOfTenMinutesReturnsAndKeepsMemoryFlat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, theirs := net.Pipe()
		p := &trickler{out: theirs, piece: bytes.Repeat([]byte("trickle\n"), 1_000_000/8), every: time.Second, killed: make(chan struct{})}
		kept := &tool.OutputWriter{Spill: &tool.OutputStore{Dir: t.TempDir(), Prefix: "s", Quota: 8 << 20}}
		before := heap()
		g := &gauge{out: kept}
		started := time.Now()
		result, err := follow(p, started, in, g, DefaultLimits()).await(t.Context(), 10*time.Minute)
		if took := time.Since(started); took < 10*time.Minute || took > 10*time.Minute+2*termGrace {
			t.Errorf("it took %v", took)
		}
		if err != nil || !result.TimedOut || result.Limit != "" || p.polite.Load() != 1 {
			t.Errorf("got %+v, %v", result, err)
		}
		if g.total < 599_000_000 || g.total > 603_000_000 {
			t.Errorf("%d bytes came through", g.total)
		}
		g.flat(t, before)
		if k := kept.Close(); k.Total != g.total || !strings.HasPrefix(k.Text, "trickle\n") || len(k.Text) > 4*tool.DefaultOutputLimit {
			t.Errorf("kept %d of %d bytes", len(k.Text), k.Total)
		}
	})
}

// The same with a limit of output: the program is ended when it has written that much, long before its time limit.
func TestSlowOutputEndsAtItsLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, theirs := net.Pipe()
		p := &trickler{out: theirs, piece: make([]byte, 1_000_000), every: time.Second, killed: make(chan struct{})}
		g := &gauge{out: io.Discard}
		started := time.Now()
		result, err := follow(p, started, in, g, Limits{Output: 100_000_000}).await(t.Context(), 10*time.Minute)
		if took := time.Since(started); err != nil || result.Limit != limitOutput || g.total != 100_000_000 || took > 102*time.Second {
			t.Errorf("got %+v, %v, %d bytes after %v", result, err, g.total, took)
		}
	})
}

// slow is a reader that lets a program end long before its output is taken.
type slow struct {
	out  io.Writer
	once sync.Once
}

func (s *slow) Write(p []byte) (int, error) {
	s.once.Do(func() { time.Sleep(4 * drainGrace) })
	return s.out.Write(p)
}

func TestOutputIsWholeHoweverLateItIsRead(t *testing.T) {
	for name, box := range someBoxes(t) {
		var n counter
		result, err := Run(t.Context(), box, shell("head -c 60000 /dev/zero; sleep 60 & exec >&- 2>&-"), &slow{out: &n}, 0)
		if err != nil || n != 60_000 || result.Code != 0 {
			t.Errorf("%s: got %d bytes, %+v, %v", name, n, result, err)
		}
	}
}
