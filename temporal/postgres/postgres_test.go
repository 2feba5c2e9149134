package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"rein/event"
	"rein/temporal"
	"rein/tool"
)

// open opens the database that REIN_TEMPORAL_POSTGRES names. Each test has sessions of its own in it.
func open(t *testing.T) (s *Store, session string) {
	t.Helper()
	address := os.Getenv("REIN_TEMPORAL_POSTGRES")
	if address == "" {
		t.Skip("REIN_TEMPORAL_POSTGRES names no database")
	}
	s, err := Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, fmt.Sprintf("s%d", time.Now().UnixNano())
}

func called(id string) event.Event {
	return event.Event{Kind: event.Called, Call: &tool.Call{ID: id, Name: "read", Args: []byte(`{"path":"a\u0000b"}`)}}
}

func ids(t *testing.T, s *Store, session string, after int64) (all string) {
	t.Helper()
	for e, err := range s.Events(t.Context(), session, after) {
		if err != nil {
			t.Fatal(err)
		}
		all += fmt.Sprint(e.Seq, e.Call.ID, " ")
	}
	return all
}

func TestEvents(t *testing.T) {
	s, id := open(t)
	for _, err := range s.Events(t.Context(), id, 0) {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a session that is not there: %v", err)
		}
	}
	log, err := s.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	given := []event.Event{called("a"), called("b")}
	if err := log.Append(given...); err != nil || given[1].Seq != 2 || given[0].Format != event.Format {
		t.Fatalf("%v, %+v", err, given)
	}
	if got := ids(t, s, id, 1); got != "2b " {
		t.Errorf("got %s", got)
	}
	late, err := s.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for range late.Past() {
		n++
	}
	if err := late.Append(called("c")); err != nil || n != 2 {
		t.Errorf("%v, %d events before", err, n)
	}
	if err := log.Append(called("d")); !errors.Is(err, ErrMoved) {
		t.Errorf("a step that is lost appends: %v", err)
	}
	if err := log.Append(called("e")); !errors.Is(err, ErrMoved) {
		t.Errorf("the error does not stay: %v", err)
	}
	if got := ids(t, s, id, 0); got != "1a 2b 3c " {
		t.Errorf("got %s", got)
	}
	late.Close()
	if err := late.Append(called("f")); err == nil {
		t.Error("a closed journal takes events")
	}
}

func TestFollow(t *testing.T) {
	s, id := open(t)
	log, err := s.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	go func() {
		for _, name := range []string{"a", "b", "c"} {
			_ = log.Append(called(name))
			time.Sleep(20 * time.Millisecond)
		}
	}()
	began, seen := time.Now(), ""
	for e, err := range s.Follow(ctx, id, 1) {
		if err != nil {
			t.Fatal(err)
		}
		if seen += e.Call.ID; seen == "bc" {
			break
		}
	}
	if seen != "bc" || time.Since(began) > longestWait {
		t.Errorf("saw %q in %v", seen, time.Since(began))
	}
}

func TestData(t *testing.T) {
	s, id := open(t)
	if _, err := s.Get(t.Context(), id, "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if err := errors.Join(s.Put(t.Context(), id, "x", []byte("one")), s.Put(t.Context(), id, "x", []byte("two"))); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Get(t.Context(), id, "x"); string(got) != "one" || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
}

// What happens is told to all who watch, in its order; a text that is longer than a notification comes in parts.
func TestWhatHappensIsTold(t *testing.T) {
	s, id := open(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	begun, to := make(chan bool, 1), make(chan temporal.Happened, 100)
	go func() {
		defer close(to)
		for h, err := range s.Watch(ctx) {
			if err != nil {
				t.Error(err)
			}
			if h.Session == "" {
				begun <- true
			} else if h.Session == id {
				to <- h
			}
		}
	}()
	<-begun
	log, err := s.Open(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("a word \" \x01 ", 2000)
	if err := errors.Join(log.Append(called("a")), s.Show(ctx, event.Event{Kind: event.Delta, Session: id, Turn: 1, Text: text})); err != nil {
		t.Fatal(err)
	}
	if h := <-to; h.Live != nil {
		t.Errorf("%+v", h)
	}
	got, parts := "", 0
	for got != text && ctx.Err() == nil {
		h := <-to
		if h.Live == nil || h.Live.Offset != int64(len(got)) {
			t.Fatalf("%+v", h)
		}
		got, parts = got+h.Live.Text, parts+1
	}
	if parts < 3 {
		t.Errorf("%d parts", parts)
	}
	cancel()
	for range to {
	}
}

// A database on another machine is reached by TLS with a check of its certificate, unless somebody says otherwise.
func TestADatabaseElsewhereIsReachedByTLS(t *testing.T) {
	t.Setenv("PGSSLMODE", "")
	for _, row := range []struct {
		address string
		tls     bool // with a check, and nothing else is tried
	}{
		{"postgres://u:p@db.example/x", true},
		{"postgres://u:p@db.example:6543/x?application_name=rein", true},
		{"postgres://u:p@10.0.0.3/x", true},
		{"postgres://u:p@db.example/x?sslmode=disable", false},
		{"postgres://u:p@127.0.0.1/x", false},
		{"postgres://u:p@localhost/x", false},
		{"postgres:///x?host=/run/postgresql", false},
	} {
		c, err := configured(row.address)
		if err != nil {
			t.Fatal(err)
		}
		o := c.ConnConfig.TLSConfig
		if checked := o != nil && !o.InsecureSkipVerify && o.ServerName == c.ConnConfig.Host && len(c.ConnConfig.Fallbacks) == 0; checked != row.tls {
			t.Errorf("%s: %+v, and %d other ways", row.address, o, len(c.ConnConfig.Fallbacks))
		}
	}
}

// With keys no row holds plain text. Rows from before there were keys are read; without the key the error names it.
func TestRowsAreSealed(t *testing.T) {
	s, id := open(t)
	write := func(call, name string) {
		log, err := s.Open(t.Context(), id)
		if err == nil {
			err = log.Append(event.Event{Kind: event.Called, Text: "swordfish", Call: &tool.Call{ID: call, Name: "read"}})
		}
		if err == nil {
			err = s.Put(t.Context(), id, name, []byte("swordfish"))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write("a", "before")
	var err error
	if s.Keys, err = temporal.ParseKeys("one:AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="); err != nil {
		t.Fatal(err)
	}
	write("b", "after")
	if all := ids(t, s, id, 0); all != "1a 2b " {
		t.Errorf("the events are %q", all)
	}
	for _, name := range []string{"before", "after"} {
		if got, err := s.Get(t.Context(), id, name); err != nil || string(got) != "swordfish" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	plain := 0
	err = s.pool.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM rein_events WHERE session = $1 AND position('swordfish'::bytea IN line) > 0)
		+ (SELECT count(*) FROM rein_data WHERE session = $1 AND position('swordfish'::bytea IN data) > 0)`, id).Scan(&plain)
	if err != nil || plain != 2 { // those from before
		t.Errorf("%d rows in plain, %v", plain, err)
	}
	s.Keys = nil
	if _, err := s.Get(t.Context(), id, "after"); err == nil || !strings.Contains(err.Error(), `no key "one"`) {
		t.Errorf("without the key: %v", err)
	}
	for _, err := range s.Events(t.Context(), id, 1) {
		if err == nil || !strings.Contains(err.Error(), `no key "one"`) {
			t.Errorf("the events without the key: %v", err)
		}
	}
}

func (s *Store) record(t *testing.T, id string, at time.Time) {
	t.Helper()
	log, err := s.Open(t.Context(), id)
	if err == nil {
		err = log.Append(event.Event{Kind: event.Prompted, Session: id, Time: at}, event.Event{Kind: event.Stopped, Session: id, Time: at.Add(time.Hour), Stop: event.Done})
	}
	if err == nil {
		err = s.Put(t.Context(), id, "x", []byte("one"))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A session is removed as a whole or not at all, and not where somebody has gone on with it.
func TestASessionIsRemoved(t *testing.T) {
	s, id := open(t)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s.record(t, id, at)
	s.record(t, id+"-b", at)
	found := 0
	for one, err := range s.Sessions(t.Context()) {
		if err == nil && (one.ID == id || one.ID == id+"-b") && one.Seq == 2 && one.Last.Equal(at.Add(time.Hour)) {
			found++
		}
	}
	if found != 2 {
		t.Errorf("%d of 2 sessions are listed", found)
	}
	if err := s.Remove(t.Context(), temporal.Removal{Session: id, Seq: 1}); !errors.Is(err, temporal.ErrUsed) {
		t.Errorf("one that somebody has gone on with: %v", err)
	}
	crash := errors.New("a crash")
	if err := s.Remove(t.Context(), temporal.Removal{Session: id, Seq: 2, First: func(context.Context) error { return crash }}); !errors.Is(err, crash) {
		t.Errorf("%v", err)
	}
	if got, err := s.Get(t.Context(), id, "x"); string(got) != "one" {
		t.Errorf("it lost data: %v", err)
	}
	for range 2 {
		if err := s.Remove(t.Context(), temporal.Removal{Session: id, Seq: 2}); err != nil {
			t.Error(err)
		}
	}
	for _, err := range s.Events(t.Context(), id, 0) {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("its events: %v", err)
		}
	}
	if _, err := s.Get(t.Context(), id, "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("its data: %v", err)
	}
	if got, err := s.Get(t.Context(), id+"-b", "x"); string(got) != "one" {
		t.Errorf("another session lost data: %v", err)
	}
}

// A step that has a session open when it is removed does not go on with the rest of it, and one that appends is not removed.
func TestARemovalBesideAStep(t *testing.T) {
	s, id := open(t)
	s.record(t, id, time.Now())
	log, err := s.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	appended := make(chan error, 1)
	err = s.Remove(t.Context(), temporal.Removal{Session: id, Seq: 2, First: func(context.Context) error {
		go func() { appended <- log.Append(called("late")) }()
		select {
		case err := <-appended:
			return fmt.Errorf("a step appends while the session is removed: %v", err)
		case <-time.After(200 * time.Millisecond):
			return nil
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-appended; !errors.Is(err, ErrRemoved) {
		t.Errorf("a step appends to what was removed: %v", err)
	}
	for _, err := range s.Events(t.Context(), id, 0) {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("its events: %v", err)
		}
	}
}

// The tables are made once, however many programs begin at the same time. Those that a program before the migrations made stay with what they have, and
// such a program still finds its version. A database of a newer program is refused.
func TestTables(t *testing.T) {
	s, id := open(t)
	name := "t" + id
	if _, err := s.pool.Exec(t.Context(), "CREATE SCHEMA "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = s.pool.Exec(context.WithoutCancel(t.Context()), "DROP SCHEMA "+name+" CASCADE") })
	config := s.pool.Config()
	config.ConnConfig.RuntimeParams["search_path"] = name // as a database of its own
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	own := &Store{pool: pool}
	defer own.Close()
	if _, err := pool.Exec(t.Context(), `CREATE TABLE rein_version (version int NOT NULL); INSERT INTO rein_version VALUES (1);
		CREATE TABLE rein_events (session text NOT NULL, seq bigint NOT NULL, line bytea NOT NULL, PRIMARY KEY (session, seq));
		CREATE TABLE rein_data (session text NOT NULL, name text NOT NULL, data bytea NOT NULL, PRIMARY KEY (session, name));
		INSERT INTO rein_data VALUES ('old', 'name', 'kept')`); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	for range 8 {
		go func() { done <- own.migrate(t.Context()) }()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	var version int
	var data []byte
	if err := pool.QueryRow(t.Context(), "SELECT max(version), (SELECT data FROM rein_data) FROM rein_version").Scan(&version, &data); err != nil || version != 1 || string(data) != "kept" {
		t.Errorf("version %d, %q, %v", version, data, err)
	}
	if _, err := pool.Exec(t.Context(), "INSERT INTO rein_migrations (version_id, is_applied) VALUES (99, true)"); err != nil {
		t.Fatal(err)
	}
	if err := own.migrate(t.Context()); err == nil || !strings.Contains(err.Error(), "it has version 99, and this program knows 1: use a newer program") {
		t.Error(err)
	}
}
