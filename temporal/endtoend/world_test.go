package endtoend_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"rein/event"
	"rein/guard"
	"rein/model"
	"rein/temporal"
)

// world is a server and its workers, each a process.
type world struct {
	t       testing.TB
	name    string // of this run: a database may have sessions of others
	root    string
	address string
	server  string // the program
	took    time.Duration

	mu        sync.Mutex
	processes map[string]*exec.Cmd
}

func newWorld(t testing.TB, took time.Duration, roles ...string) *world {
	t.Helper()
	if os.Getenv("REIN_TEMPORAL_E2E") == "" {
		t.Skip("it starts a server and kills processes: REIN_TEMPORAL_E2E=1 runs it")
	}
	w := &world{t: t, name: strconv.FormatInt(time.Now().UnixMilli(), 36), root: t.TempDir(), server: os.Getenv("REIN_TEMPORAL_SERVER"), took: took, processes: map[string]*exec.Cmd{}}
	if w.server == "" {
		w.server = filepath.Join(w.root, "rein-temporal-server")
		if out, err := exec.Command("go", "build", "-C", "../servertest", "-o", w.server, "./cmd/rein-temporal-server").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w.address = l.Addr().String()
	l.Close()
	t.Cleanup(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, p := range w.processes {
			_ = p.Process.Kill()
			_ = p.Wait()
		}
	})
	w.start("server")
	for _, role := range roles {
		if err := os.MkdirAll(filepath.Join(w.root, "work", role), 0o700); err != nil {
			t.Fatal(err)
		}
		w.start(role)
	}
	return w
}

// start starts the process of a role.
func (w *world) start(role string) {
	cmd := exec.Command(os.Args[0])
	if role == "server" {
		cmd = exec.Command(w.server, "-file", filepath.Join(w.root, "server.db"), "-address", w.address)
	}
	cmd.Env = append(os.Environ(), "REIN_E2E_ROLE="+role, "REIN_E2E_ADDRESS="+w.address, "REIN_E2E_STORE="+filepath.Join(w.root, "sessions"),
		"REIN_E2E_WORK="+filepath.Join(w.root, "work"), "REIN_E2E_TOOK="+w.took.String())
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if testing.Verbose() {
		cmd.Stderr = os.Stderr
	}
	if err := cmd.Start(); err != nil {
		w.t.Error(err)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.processes[role] = cmd
}

// kill kills the process of a role, and starts another one. REIN_E2E_DATABASE is a command that does so with the database.
func (w *world) kill(role string) {
	if role == "database" {
		if out, err := exec.Command("sh", "-c", os.Getenv("REIN_E2E_DATABASE")).CombinedOutput(); err != nil {
			w.t.Errorf("%v: %s", err, out)
		}
		return
	}
	w.mu.Lock()
	p := w.processes[role]
	w.mu.Unlock()
	_ = p.Process.Kill()
	_ = p.Wait()
	w.start(role)
}

// client connects to the server, which may be starting.
func (w *world) client() *temporal.Client {
	w.t.Helper()
	for begun := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		c, err := client.Dial(client.Options{HostPort: w.address, Logger: silent()})
		if err == nil {
			w.t.Cleanup(c.Close)
			store, err := openStore(filepath.Join(w.root, "sessions"))
			if err != nil {
				w.t.Fatal(err)
			}
			return &temporal.Client{Temporal: c, Store: store}
		}
		if time.Since(begun) > time.Minute {
			w.t.Fatal(err)
		}
	}
}

// again repeats what fails while the server is away.
func (w *world) again(do func(ctx context.Context) error) {
	w.t.Helper()
	for begun := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(w.t.Context(), 5*time.Second)
		err := do(ctx)
		cancel()
		if err == nil {
			return
		}
		if time.Since(begun) > 3*time.Minute {
			w.t.Fatal(err)
		}
	}
}

// finish answers what a session asks, until its turn is done.
func (w *world) finish(c *temporal.Client, id string) (last event.Event) {
	w.t.Helper()
	w.again(func(ctx context.Context) error {
		s, err := c.State(ctx, id)
		if err != nil {
			return err
		}
		if s.Trouble != "" {
			_ = c.Retry(ctx, id)
		}
		for _, p := range s.Pending {
			if len(s.Answers) == 0 {
				_ = c.Answer(ctx, id, temporal.Answer{Request: p.ID, Hash: p.Hash, Approved: true, By: guard.ByPerson("Ada")}) // another try follows
			}
		}
		if s.Due != "" || s.Working != "" || len(s.Messages) > 0 {
			return fmt.Errorf("the session %s is at work: %+v", id, s)
		}
		return nil
	})
	all := w.events(c, id)
	return all[len(all)-1]
}

// events are those of a session. The database may be away for a moment.
func (w *world) events(c *temporal.Client, id string) (all []event.Event) {
	w.t.Helper()
	w.again(func(ctx context.Context) error {
		all = nil
		for e, err := range c.Store.Events(ctx, id, 0) {
			if err != nil {
				return err
			}
			all = append(all, e)
		}
		return nil
	})
	return all
}

// check looks that no call of a session ran twice, and that none is lost. It returns how many have an unknown outcome.
func (w *world) check(c *temporal.Client, host, id string) (unknown int) {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.root, "work", host, id))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		w.t.Fatal(err)
	}
	ran := map[string]int{}
	for _, line := range strings.Fields(string(text)) {
		if ran[line]++; ran[line] > 1 {
			w.t.Errorf("session %s: the call %s ran twice", id, line)
		}
	}
	called, replied := map[string]string{}, map[string]bool{}
	for _, e := range w.events(c, id) {
		switch e.Kind {
		case event.Called:
			called[e.Call.ID] = string(e.Call.Args)
		case event.Replied:
			if replied[e.Call.ID] {
				w.t.Errorf("session %s: the call %s has two results", id, e.Call.ID)
			}
			replied[e.Call.ID] = true
			if mark, ok := strings.CutPrefix(e.Result.Text, "marked "); ok && ran[mark] != 1 {
				w.t.Errorf("session %s: the call %s says that it ran, and it did not", id, mark)
			}
			if strings.Contains(e.Result.Text, "outcome is unknown") {
				unknown++
			}
		}
	}
	for call := range called {
		if !replied[call] {
			w.t.Errorf("session %s: the call %s has no result", id, call)
		}
	}
	if len(called) != 9 {
		w.t.Errorf("session %s has %d calls", id, len(called))
	}
	return unknown
}

func (w *world) send(c *temporal.Client, id, host string) {
	w.t.Helper()
	w.again(func(ctx context.Context) error {
		return c.Send(ctx, temporal.Session{ID: id, Host: host, Lost: 2 * time.Second}, id, false, model.Text("go"))
	})
}
