// Package endtoend_test runs sessions on a real server, in processes that it kills. It needs the program of ../servertest: it builds it,
// or takes the one that REIN_TEMPORAL_SERVER names. Sessions are in files, or in the database that
// REIN_TEMPORAL_POSTGRES names. Without REIN_TEMPORAL_E2E=1 its tests are skipped.
package endtoend_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"rein/agent"
	"rein/event"
	"rein/guard"
	"rein/kit/script"
	"rein/model"
	"rein/temporal"
	"rein/temporal/postgres"
	"rein/tool"
	"rein/toolcall"
)

var (
	record = flag.String("record", "", "write the histories of the sessions into this directory, for the replay test")
	kills  = flag.Int("kills", 40, "how often a process is killed")
)

// turns are those of every session: calls at once, an approval, and reads.
const turns = `
turns:
- calls: [{name: mark, id: c1, args: {text: a1}}, {name: mark, id: c2, args: {text: a2}}, {name: look, id: c3}]
- text: now the risky one
  calls: [{name: risky, id: c4, args: {text: b1}}, {name: mark, id: c5, args: {text: b2}}]
- calls: [{name: mark, id: c6, args: {text: c1}}, {name: look, id: c7}, {name: mark, id: c8, args: {text: c2}}]
- calls: [{name: mark, id: c9, args: {text: d1}}]
- text: ready
`

func TestMain(m *testing.M) {
	if role := os.Getenv("REIN_E2E_ROLE"); role != "" {
		if err := serve(role); err != nil {
			fmt.Fprintln(os.Stderr, role, err)
			os.Exit(1)
		}
		return
	}
	flag.Parse()
	os.Exit(m.Run())
}

// asksEnv lets the hosts ask models too.
const asksEnv = "REIN_E2E_ASKS"

type textArgs struct {
	Text string `json:"text"`
}

// newAgent makes an agent whose tool mark appends to a file of the session.
func newAgent(dir, session string, took time.Duration) *agent.Agent {
	mark := func(name string) *tool.Tool {
		return tool.New(name, "Append to the file.", tool.Writes, func(_ context.Context, in textArgs, r *tool.Reply) error {
			f, err := os.OpenFile(filepath.Join(dir, session), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err != nil {
				return err
			}
			defer f.Close()
			time.Sleep(took / 2)
			_, err = fmt.Fprintf(f, "%s\n", in.Text)
			time.Sleep(took / 2)
			fmt.Fprintf(r, "marked %s", in.Text)
			return err
		})
	}
	look := tool.New("look", "Read the file.", tool.Reads, func(_ context.Context, _ struct{}, r *tool.Reply) error {
		time.Sleep(took)
		_, err := r.WriteString("it is there")
		return err
	})
	look.Intent = func(json.RawMessage) (tool.Intent, error) { return tool.Intent{}, nil }
	set, err := tool.NewSet(mark("mark"), mark("risky"), look)
	if err != nil {
		panic(err)
	}
	asks := guard.Func(func(_ context.Context, c guard.Case) guard.Verdict {
		if c.Call.Name == "risky" {
			return guard.Verdict{Decision: guard.Ask, Reason: "it is risky", PersonOnly: true}
		}
		return guard.Verdict{}
	})
	return &agent.Agent{Model: scripted(), System: "You mark.", Calls: &toolcall.Runner{Tools: set, Guard: asks, Mode: guard.Supervised, Root: dir}}
}

func scripted() model.Model {
	text := turns
	if os.Getenv(scaleEnv) != "" {
		text = scaleTurns
	}
	s, err := script.Parse([]byte(text))
	if err != nil {
		panic(err)
	}
	return &script.Model{Script: s, Name: "test"}
}

// openStore opens the store of all processes: the database that REIN_TEMPORAL_POSTGRES names, else files.
func openStore(dir string) (temporal.Store, error) {
	if address := os.Getenv("REIN_TEMPORAL_POSTGRES"); address != "" {
		s, err := postgres.Open(context.Background(), address)
		if err != nil {
			return nil, err
		}
		return s, nil
	}
	return temporal.Files{Dir: dir}, nil
}

func silent() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// serve is what a process does that the tests start: it works on the queue that its role names, or asks models.
func serve(role string) error {
	var c client.Client
	for begun := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		var err error
		if c, err = client.Dial(client.Options{HostPort: os.Getenv("REIN_E2E_ADDRESS"), Logger: silent()}); err == nil {
			break
		}
		if time.Since(begun) > time.Minute {
			return err
		}
	}
	took, _ := time.ParseDuration(os.Getenv("REIN_E2E_TOOK"))
	store, err := openStore(os.Getenv("REIN_E2E_STORE"))
	for begun := time.Now(); err != nil && time.Since(begun) < time.Minute; time.Sleep(50 * time.Millisecond) {
		store, err = openStore(os.Getenv("REIN_E2E_STORE"))
	}
	if err != nil {
		return err
	}
	w := temporal.Worker{Client: c, Store: store}
	if role == "models" || os.Getenv(asksEnv) != "" {
		w.Model = func(context.Context, string) (model.Model, error) { return scripted(), nil }
	}
	if role != "models" {
		w.Host = role
		w.Agent = func(_ context.Context, session string, _ json.RawMessage) (*agent.Agent, func(), error) {
			return newAgent(filepath.Join(os.Getenv("REIN_E2E_WORK"), role), session, took), nil, nil
		}
	}
	if _, err := w.Start(); err != nil {
		return err
	}
	select {}
}

// Two hosts: each call runs where its session's workspace is.
func TestTwoHosts(t *testing.T) {
	w := newWorld(t, 0, "models", "host-a", "host-b")
	c := w.client()
	for i := range 6 {
		w.send(c, fmt.Sprint(w.name, "-", i), []string{"host-a", "host-b"}[i%2])
	}
	for i := range 6 {
		id := fmt.Sprint(w.name, "-", i)
		if last := w.finish(c, id); last.Stop != event.Done || last.Text != "ready" {
			t.Errorf("%s stopped with %+v", id, last)
		}
		if n := w.check(c, []string{"host-a", "host-b"}[i%2], id); n > 0 {
			t.Errorf("%d calls of %s have an unknown outcome", n, id)
		}
		if _, err := os.Stat(filepath.Join(w.root, "work", []string{"host-b", "host-a"}[i%2], id)); err == nil {
			t.Errorf("a call of %s ran on the wrong host", id)
		}
	}
	w.figures(c, w.name+"-0")
	if *record != "" {
		w.histories(c, w.name+"-0", "turns.json")
	}
}

// histories writes the history of a session for the replay test.
func (w *world) histories(c *temporal.Client, id, name string) {
	w.t.Helper()
	text, err := historyJSON(w.t.Context(), c.Temporal, id)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*record, name), text, 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// historyJSON is the history of a session as the replayer reads it.
func historyJSON(ctx context.Context, c client.Client, id string) ([]byte, error) {
	all := &history.History{}
	events := c.GetWorkflowHistory(ctx, id, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		e, err := events.Next()
		if err != nil {
			return nil, err
		}
		all.Events = append(all.Events, e)
	}
	return protojson.Marshal(all)
}

// figures says how many events and bytes the history of a session has.
func (w *world) figures(c *temporal.Client, id string) {
	events, bytes := 0, 0
	iter := c.Temporal.GetWorkflowHistory(w.t.Context(), id, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for iter.HasNext() {
		e, err := iter.Next()
		if err != nil {
			w.t.Fatal(err)
		}
		events++
		bytes += proto.Size(e)
	}
	w.t.Logf("the history of a session of 5 requests and 9 calls, with an approval: %d events, %d bytes", events, bytes)
}

// Processes are killed at random points. No call runs twice, none is lost, and every session ends.
func TestKills(t *testing.T) {
	w := newWorld(t, 100*time.Millisecond, "models", "host-a", "host-b")
	c := w.client()
	const sessions = 12
	random := rand.New(rand.NewSource(time.Now().UnixNano()))
	done := make(chan struct{})
	var killing sync.WaitGroup
	killed := map[string]int{}
	killing.Go(func() {
		roles := []string{"host-a", "host-b", "host-a", "host-b", "models", "server"}
		if os.Getenv("REIN_E2E_DATABASE") != "" {
			roles = append(roles, "database")
		}
		for n := range *kills {
			select {
			case <-done:
				return
			case <-time.After(time.Duration(300+random.Intn(2500)) * time.Millisecond):
			}
			role := roles[random.Intn(len(roles))]
			killed[role]++
			w.kill(role)
			if n%10 == 9 {
				t.Logf("%d killed: %v", n+1, killed)
			}
		}
	})
	unknown := 0
	for round := 0; ; round++ {
		for i := range sessions {
			w.send(c, fmt.Sprintf("%s-r%d-s%d", w.name, round, i), []string{"host-a", "host-b"}[i%2])
		}
		for i := range sessions {
			id := fmt.Sprintf("%s-r%d-s%d", w.name, round, i)
			if last := w.finish(c, id); last.Stop != event.Done || last.Text != "ready" {
				t.Errorf("%s stopped with %+v", id, last)
			}
			unknown += w.check(c, []string{"host-a", "host-b"}[i%2], id)
		}
		w.mu.Lock()
		total := 0
		for _, n := range killed {
			total += n
		}
		w.mu.Unlock()
		if total >= *kills || t.Failed() {
			t.Logf("%d kills (%v), %d sessions, %d calls; the outcome of %d is unknown", total, killed, (round+1)*sessions, (round+1)*sessions*9, unknown)
			break
		}
	}
	close(done)
	killing.Wait()
	if *record != "" {
		w.histories(c, w.name+"-r0-s0", "killed.json")
	}
}

// How many calls a second the machine does, and how long a turn takes beside one in this process.
func TestFigures(t *testing.T) {
	w := newWorld(t, 0, "models", "host-a", "host-b")
	c := w.client()
	w.send(c, w.name+"-warm", "host-a")
	w.finish(c, w.name+"-warm")
	for _, n := range sizes() {
		began := time.Now()
		for i := range n {
			w.send(c, fmt.Sprintf("%s-n%d-%d", w.name, n, i), []string{"host-a", "host-b"}[i%2])
		}
		opened := time.Since(began)
		for i := range n {
			w.finish(c, fmt.Sprintf("%s-n%d-%d", w.name, n, i))
		}
		took := time.Since(began)
		t.Logf("%d sessions: opened in %v, all done in %v: %.1f calls/s, %.1f steps/s", n, opened.Round(time.Millisecond), took.Round(time.Millisecond),
			float64(9*n)/took.Seconds(), float64(12*n)/took.Seconds())
	}
	t.Logf("in one process: a session in %v", w.local(c).Round(time.Microsecond))
}

// local is how long a session takes in this process.
func (w *world) local(c *temporal.Client) time.Duration {
	t, began := w.t, time.Now()
	const local = 20
	for i := range local {
		id := fmt.Sprint(w.name, "-local-", i)
		log, err := c.Store.Open(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		a := newAgent(t.TempDir(), id, 0)
		a.Calls.Approver = guard.ApproverFunc(func(context.Context, guard.Case, guard.Verdict) (guard.Answer, error) {
			return guard.Answer{Choice: guard.Approved, By: guard.ByPerson("Ada")}, nil
		})
		for range a.Start(agent.SessionOptions{ID: id, Journal: log}).Send(t.Context(), model.Text("go")) {
		}
		log.Close()
	}
	return time.Since(began) / local
}

// sizes are the numbers of sessions at once: REIN_E2E_SESSIONS, else 1 and 10.
func sizes() (all []int) {
	for _, text := range strings.Fields(os.Getenv("REIN_E2E_SESSIONS")) {
		if n, err := strconv.Atoi(text); err == nil {
			all = append(all, n)
		}
	}
	if all == nil {
		all = []int{1, 10}
	}
	return all
}
