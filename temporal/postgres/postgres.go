// Package postgres keeps sessions in a PostgreSQL database, for workers on several machines.
package postgres

import (
	"context"
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"rein/event"
	"rein/redact"
	"rein/temporal"
)

// Store is a temporal.Store in a database. Mask hides secrets in what is written; nil hides the well-known shapes of keys.
type Store struct {
	Mask *redact.Filter
	Keys temporal.Keys // encrypt the lines of journals and the data; what was there before stays as it is
	pool *pgxpool.Pool
}

// schema has what makes the tables of each version out of those of the one before.
//
//go:embed schema/*.sql
var schema embed.FS

// migrating is the key of the lock under which that is done.
const migrating = 0x7265696e

// Open connects to a database ("postgres://…"), and makes the tables that are missing. A database of a newer version is refused.
func Open(ctx context.Context, address string) (*Store, error) {
	config, err := configured(address)
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	s := &Store{pool: pool}
	if err := s.migrate(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("the database of the sessions: %w", err)
	}
	return s, nil
}

// configured reads an address. A database on another machine is reached by TLS, and its certificate is checked, where neither the address nor
// PGSSLMODE says how: the driver would try without it, too, and check nothing.
func configured(address string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil || os.Getenv("PGSSLMODE") != "" {
		return config, err
	}
	u, err := url.Parse(address)
	if err != nil || u.Query().Has("sslmode") || local(config.ConnConfig.Host) {
		return config, err
	}
	q := u.Query()
	q.Set("sslmode", "verify-full")
	u.RawQuery = q.Encode()
	return pgxpool.ParseConfig(u.String())
}

// local reports whether a host is this machine: a socket, or an address of its own.
func local(host string) bool {
	ip := net.ParseIP(host)
	return strings.HasPrefix(host, "/") || host == "localhost" || ip != nil && ip.IsLoopback()
}

// Close ends the connections.
func (s *Store) Close() { s.pool.Close() }

func (s *Store) migrate(ctx context.Context) error {
	files, err := fs.Sub(schema, "schema")
	if err != nil {
		return err
	}
	one, err := lock.NewPostgresSessionLocker(lock.WithLockID(migrating), lock.WithLockTimeout(1, 60))
	if err != nil {
		return err
	}
	db := stdlib.OpenDBFromPool(s.pool)
	defer db.Close()
	p, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithTableName("rein_migrations"), goose.WithSessionLocker(one), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	if _, err := p.Up(ctx); err != nil {
		return err
	}
	have, known, err := p.GetVersions(ctx)
	if err == nil && have > known {
		err = fmt.Errorf("it has version %d, and this program knows %d: use a newer program", have, known)
	}
	return err
}

// Open finds the last event: what is appended has to follow it.
func (s *Store) Open(ctx context.Context, session string) (temporal.Log, error) {
	l := &log{store: s, ctx: context.WithoutCancel(ctx), session: session}
	err := s.pool.QueryRow(ctx, "SELECT coalesce(max(seq), 0) FROM rein_events WHERE session = $1", session).Scan(&l.opened)
	l.seq = l.opened
	return l, err
}

// log is the journal of a session while a step has it open.
type log struct {
	store   *Store
	ctx     context.Context
	session string
	opened  int64 // the last event when it was opened

	mu  sync.Mutex
	seq int64
	err error
}

// ErrMoved means that another step has appended to the session: this one is lost, and may do nothing more.
var ErrMoved = errors.New("another step has taken the session up")

// ErrRemoved means that the session was removed since the step has opened it.
var ErrRemoved = errors.New("the session was removed")

// appendTime bounds one append. The context of the step does not: what a call did is recorded after a cancel too.
const appendTime = 30 * time.Second

// Append inserts the events, all or none, behind the last one that this step knows.
func (l *log) Append(events ...event.Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil || len(events) == 0 {
		return l.err
	}
	seqs, lines := make([]int64, len(events)), make([][]byte, len(events))
	for i := range events {
		e := &events[i]
		e.Seq, e.Format = l.seq+int64(i)+1, 0
		if e.Seq == 1 {
			e.Format = event.Format
		}
		line, err := e.Line(nil)
		if err != nil {
			return err
		}
		seqs[i], lines[i] = e.Seq, l.store.Keys.Seal(place(l.session, e.Seq), l.store.Mask.Bytes(line))
	}
	ctx, cancel := context.WithTimeout(l.ctx, appendTime)
	defer cancel()
	done, err := l.store.pool.Exec(ctx, `WITH last AS (SELECT FROM rein_events WHERE session = $1 AND seq = $4 FOR KEY SHARE),
		new AS (INSERT INTO rein_events SELECT $1, * FROM unnest($2::bigint[], $3::bytea[]) WHERE $4 = 0 OR EXISTS (SELECT FROM last) RETURNING seq)
		SELECT pg_notify('`+recordedChannel+`', $1) FROM new LIMIT 1`, l.session, seqs, lines, l.seq)
	if twice := (*pgconn.PgError)(nil); errors.As(err, &twice) && twice.Code == "23505" {
		err = ErrMoved
	}
	if err == nil && done.RowsAffected() == 0 {
		err = ErrRemoved
	}
	if err != nil {
		l.err = fmt.Errorf("the journal of %s: %w", l.session, err)
		return l.err
	}
	l.seq += int64(len(events))
	return nil
}

// Past reads the events that were there.
func (l *log) Past() iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		l.store.read(l.ctx, l.session, 0, l.opened, yield)
	}
}

// Close ends the step.
func (l *log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = errors.New("the journal is closed")
	}
	return nil
}

// read gives the events after one number and up to another. It returns the last one, and whether the reader wants more.
func (s *Store) read(ctx context.Context, session string, after, upTo int64, yield func(event.Event, error) bool) (last int64, more bool) {
	last = after
	rows, err := s.pool.Query(ctx, "SELECT seq, line FROM rein_events WHERE session = $1 AND seq > $2 AND seq <= $3 ORDER BY seq", session, after, upTo)
	if err != nil {
		yield(event.Event{}, err)
		return last, false
	}
	defer rows.Close()
	for rows.Next() {
		var line []byte
		var e event.Event
		var seq int64
		if err = rows.Scan(&seq, &line); err == nil {
			line, err = s.Keys.Unseal(place(session, seq), line)
		}
		if err != nil {
			err = fmt.Errorf("the journal of %s: %w", session, err)
		} else {
			err = e.Parse(line)
		}
		if !yield(e, err) || err != nil {
			return last, false
		}
		last = e.Seq
	}
	if err := rows.Err(); err != nil {
		yield(event.Event{}, err)
		return last, false
	}
	return last, true
}

const always = 1<<63 - 1

// Events reads the events after a number.
func (s *Store) Events(ctx context.Context, session string, after int64) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		var any bool
		err := s.pool.QueryRow(ctx, "SELECT EXISTS (SELECT FROM rein_events WHERE session = $1)", session).Scan(&any)
		if err == nil && !any {
			err = fmt.Errorf("session %s: %w", session, fs.ErrNotExist)
		}
		if err != nil {
			yield(event.Event{}, err)
			return
		}
		s.read(ctx, session, after, always, yield)
	}
}

// longestWait is how long Follow waits for a notification before it looks by itself.
const longestWait = 2 * time.Second

// Follow reads the events, and is told by the database when there are more.
func (s *Store) Follow(ctx context.Context, session string, after int64) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		c, err := s.pool.Acquire(ctx)
		if err == nil {
			defer c.Release()
			_, err = c.Exec(ctx, "LISTEN "+recordedChannel)
		}
		if err != nil {
			yield(event.Event{}, err)
			return
		}
		defer func() { _, _ = c.Exec(context.WithoutCancel(ctx), "UNLISTEN *") }()
		for more := true; more && ctx.Err() == nil; {
			if after, more = s.read(ctx, session, after, always, yield); !more {
				return
			}
			waiting, cancel := context.WithTimeout(ctx, longestWait)
			for {
				n, err := c.Conn().WaitForNotification(waiting)
				if err != nil || n.Payload == session {
					break
				}
			}
			cancel()
		}
	}
}

// Put keeps data.
func (s *Store) Put(ctx context.Context, session, name string, data []byte) error {
	_, err := s.pool.Exec(ctx, "INSERT INTO rein_data VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", session, name, s.Keys.Seal(place(session, name), data))
	return err
}

// Get gives data back.
func (s *Store) Get(ctx context.Context, session, name string) (data []byte, err error) {
	err = s.pool.QueryRow(ctx, "SELECT data FROM rein_data WHERE session = $1 AND name = $2", session, name).Scan(&data)
	if errors.Is(err, pgx.ErrNoRows) {
		err = fmt.Errorf("%s of session %s: %w", name, session, fs.ErrNotExist)
	}
	if err == nil {
		if data, err = s.Keys.Unseal(place(session, name), data); err != nil {
			err = fmt.Errorf("%s of session %s: %w", name, session, err)
		}
	}
	return data, err
}

// place is what a row belongs to.
func place(session string, row any) string { return fmt.Sprint(session, "/", row) }

// What PostgreSQL passes on at once: 8000 bytes at most, to those who listen.
const (
	recordedChannel = "rein_events" // the id of a session
	liveChannel     = "rein_live"   // a line with a live event
	mostNotified    = 7900
	mostSealed      = 5600 // bytes, of which so many are made
	sealedLive      = "sealed:"
)

// Show implements temporal.Live.
func (s *Store) Show(ctx context.Context, e event.Event) error {
	most := mostNotified
	if len(s.Keys) > 0 {
		most = mostSealed
	}
	for _, line := range temporal.Pieces(e, most) {
		text := string(s.Mask.Bytes(line))
		if len(s.Keys) > 0 {
			text = sealedLive + base64.StdEncoding.EncodeToString(s.Keys.Seal(liveChannel, []byte(text)))
		}
		if len(text) > mostNotified {
			continue
		}
		if _, err := s.pool.Exec(ctx, "SELECT pg_notify($1, $2)", liveChannel, text); err != nil {
			return err
		}
	}
	return nil
}

// opened is the line of a notification.
func (s *Store) opened(payload string) ([]byte, error) {
	sealed, ok := strings.CutPrefix(payload, sealedLive)
	if !ok {
		return []byte(payload), nil
	}
	data, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil {
		return nil, err
	}
	return s.Keys.Unseal(liveChannel, data)
}

// Watch implements temporal.Live.
func (s *Store) Watch(ctx context.Context) iter.Seq2[temporal.Happened, error] {
	return func(yield func(temporal.Happened, error) bool) {
		c, err := s.pool.Acquire(ctx)
		if err != nil {
			yield(temporal.Happened{}, err)
			return
		}
		defer c.Release()
		defer func() { _, _ = c.Exec(context.WithoutCancel(ctx), "UNLISTEN *") }() // a connection that fails is closed
		if _, err = c.Exec(ctx, "LISTEN "+recordedChannel+"; LISTEN "+liveChannel); err != nil {
			yield(temporal.Happened{}, err)
			return
		}
		for more := yield(temporal.Happened{}, nil); more; {
			n, err := c.Conn().WaitForNotification(ctx)
			if err != nil {
				if ctx.Err() == nil {
					yield(temporal.Happened{}, err)
				}
				return
			}
			h := temporal.Happened{Session: n.Payload}
			if n.Channel == liveChannel {
				h.Live = &event.Event{}
				if line, err := s.opened(n.Payload); err != nil || h.Live.Parse(line) != nil {
					continue
				}
				h.Session = h.Live.Session
			}
			more = yield(h, nil)
		}
	}
}
