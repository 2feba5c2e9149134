package endtoend_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/api/enums/v1"
	"google.golang.org/protobuf/proto"

	"rein/event"
	"rein/guard"
	"rein/temporal"
)

// scaleEnv makes the processes play scaleTurns.
const scaleEnv = "REIN_E2E_SCALE"

// scaleTurns wait for an approval at once; what follows the answer is a turn of 2 requests and 4 calls.
const scaleTurns = `
turns:
- calls: [{name: risky, id: c1, args: {text: a}}]
- calls: [{name: mark, id: c2, args: {text: b}}, {name: look, id: c3}, {name: mark, id: c4, args: {text: c}}]
- text: ready
`

// The steps of a session of scaleTurns, up to the approval and after it.
const (
	stepsToOpen = 3
	stepsOfTurn = 5
	callsOfTurn = 4
	atWork      = 50 // sessions at once
)

// What it costs that many sessions are open and wait for an approval, while 50 are at work on two worker processes:
//
//	REIN_TEMPORAL_E2E=1 REIN_E2E_SESSIONS="10 100 1000" nice go test ./endtoend -run TestScale -v -timeout 2h
func TestScale(t *testing.T) {
	t.Setenv(scaleEnv, "1")
	w := newWorld(t, 0, "models", "host-a")
	c := w.client()
	w.waiting(c, []string{w.name + "-warm"})
	w.turns(c, []string{w.name + "-warm"})
	var open []string
	for _, n := range sizes() {
		var more []string
		for i := len(open); i < n; i++ {
			more = append(more, fmt.Sprintf("%s-n%d-%d", w.name, n, i))
		}
		began := time.Now()
		w.waiting(c, more)
		opened := time.Since(began)
		open = append(open, more...)
		alone := w.turns(c, open[:1])
		active := open[1:min(len(open), 1+atWork)]
		began = time.Now()
		each := w.turns(c, active)
		took := time.Since(began)
		slices.Sort(each)
		t.Logf("%d open: opened %d in %v (%.1f steps/s); one turn alone %v; %d at work: %.1f calls/s, %.1f steps/s, a turn takes %v (median), %v (most); memory %s; server.db %d KB",
			n, len(more), opened.Round(time.Millisecond), stepsToOpen*float64(len(more))/opened.Seconds(), alone[0].Round(time.Millisecond), len(active),
			float64(callsOfTurn*len(active))/took.Seconds(), float64(stepsOfTurn*len(active))/took.Seconds(), each[len(each)/2].Round(time.Millisecond),
			each[len(each)-1].Round(time.Millisecond), w.memory(), w.size("server.db")>>10)
		w.costs(c, active[0])
		open = open[1+len(active):]
	}
	t.Logf("in one process: a session in %v", w.local(c).Round(time.Microsecond))
}

// each does something with sessions, atWork at once.
func each(ids []string, do func(i int, id string)) {
	var all sync.WaitGroup
	free := make(chan struct{}, atWork)
	for i, id := range ids {
		free <- struct{}{}
		all.Go(func() {
			do(i, id)
			<-free
		})
	}
	all.Wait()
}

// waiting starts sessions, and returns when all wait for an approval.
func (w *world) waiting(c *temporal.Client, ids []string) {
	w.t.Helper()
	each(ids, func(_ int, id string) {
		w.send(c, id, "host-a")
		w.stops(c, id, event.Waiting)
	})
}

// turns answers what sessions ask, and says how long each took from the answer to the end of the turn.
func (w *world) turns(c *temporal.Client, ids []string) []time.Duration {
	w.t.Helper()
	took := make([]time.Duration, len(ids))
	each(ids, func(i int, id string) {
		w.again(func(ctx context.Context) error {
			s, err := c.State(ctx, id)
			if err != nil || len(s.Pending) == 0 {
				return fmt.Errorf("the session %s waits for nothing: %w", id, err)
			}
			took[i] = -time.Duration(time.Now().UnixNano())
			return c.Answer(ctx, id, temporal.Answer{Request: s.Pending[0].ID, Hash: s.Pending[0].Hash, Approved: true, By: guard.ByPerson("Ada")})
		})
		w.stops(c, id, event.Done)
		took[i] += time.Duration(time.Now().UnixNano())
	})
	return took
}

// stops waits until the turn of a session stops so.
func (w *world) stops(c *temporal.Client, id string, how event.Stop) {
	ctx, cancel := context.WithTimeout(w.t.Context(), 10*time.Minute)
	defer cancel()
	for e, err := range c.Store.Follow(ctx, id, 0) {
		if err == nil && e.Kind == event.Stopped && e.Stop == how {
			return
		}
	}
	w.t.Errorf("the session %s did not stop with %s", id, how)
}

// costs says what the history and the store have of a session.
func (w *world) costs(c *temporal.Client, id string) {
	events, bytes := 0, 0
	iter := c.Temporal.GetWorkflowHistory(w.t.Context(), id, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for iter.HasNext() {
		e, err := iter.Next()
		if err != nil {
			w.t.Error(err)
			return
		}
		events++
		bytes += proto.Size(e)
	}
	rows, size := 0, 0
	for _, e := range w.events(c, id) {
		line, err := e.Line(nil)
		if err != nil {
			w.t.Error(err)
		}
		rows, size = rows+1, size+len(line)
	}
	w.t.Logf("a session of 3 requests and %d calls, with an approval: %d events and %d bytes of history (%.1f and %d for a call), %d rows and %d bytes in the store",
		callsOfTurn, events, bytes, float64(events)/callsOfTurn, bytes/callsOfTurn, rows, size)
}

// memory is what the processes use.
func (w *world) memory() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []string
	for role, p := range w.processes {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid)) // where there is none, nothing is said
		for line := range strings.Lines(string(text)) {
			if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
				all = append(all, role+" "+strings.TrimSpace(rest))
			}
		}
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// size is that of a file of the world.
func (w *world) size(name string) (n int64) {
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(filepath.Join(w.root, name+suffix)); err == nil {
			n += info.Size()
		}
	}
	return n
}
