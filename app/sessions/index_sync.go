package sessions

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"rein/app/internal/database"
	"rein/event"
	"rein/journal"
)

// indexRow is what the index knows of a session.
type indexRow struct {
	number  int64
	offset  int64
	about   string // identifies the file with the user's notes
	session Session
}

// sync brings the index up to date: sessions that are new or gone, and those that were opened since the last time.
func (x *index) sync(ctx context.Context) error {
	stamp, listed, err := x.listed(ctx)
	if err != nil {
		return err
	}
	marked, err := namesIn(journal.ChangedDir(x.root))
	if err != nil || listed && len(marked) == 0 {
		return err
	}
	tx, err := x.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	u := &indexUpdate{ctx: ctx, tx: tx, root: x.root}
	var fresh []string
	if !listed {
		if fresh, err = u.compare(); err != nil {
			return err
		}
	}
	changed := slices.Concat(marked, fresh)
	slices.Sort(changed) // by time: the newest sessions get the highest numbers
	changed = slices.Compact(changed)
	if len(changed) > tellFrom {
		x.warn(fmt.Sprintf("%d sessions are read into the index", len(changed)))
	}
	for _, id := range changed {
		if err := u.session(id); err != nil {
			return err
		}
		if u.size > mostTexts {
			if err := u.put(); err != nil {
				return err
			}
		}
	}
	if err := u.put(); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO state VALUES ('root', ?)", stamp); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	if x.file != "" {
		u.unmark(marked)
		u.mark(fresh)
	}
	return nil
}

// tellFrom is how many sessions take long enough to read that the user is informed.
const tellFrom = 2000

// racy is how fine the times of files are on coarse file systems. A directory that changed this recently may change again
// without another time.
const racy = 2 * time.Second

// listed identifies the state of the root directory, and reports whether it is the one that the index has seen. In memory
// it is always read: nobody marks what changes.
func (x *index) listed(ctx context.Context) (stamp string, same bool, err error) {
	info, err := os.Stat(x.root)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	if time.Since(info.ModTime()) > racy {
		stamp = strconv.FormatInt(info.ModTime().UnixNano(), 10)
	}
	var seen string
	err = x.db.QueryRowContext(ctx, "SELECT value FROM state WHERE name = 'root'").Scan(&seen)
	if errors.Is(err, sql.ErrNoRows) {
		return stamp, false, nil
	}
	return stamp, err == nil && x.file != "" && stamp != "" && stamp == seen, err
}

// namesIn returns the names in a directory, in no order; none where it is not there.
func namesIn(dir string) ([]string, error) {
	d, err := os.Open(dir + "/.") // not a pipe in its place: opening that would wait
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}

// indexUpdate is one transaction that brings the index up to date.
type indexUpdate struct {
	ctx  context.Context
	tx   *sql.Tx
	root string
	read map[string]int64 // how far each journal was read

	texts []indexText // that were read, and are not yet in the search index
	size  int         // of them, in bytes
}

// compare removes the sessions that are gone, and returns those that are new.
func (u *indexUpdate) compare() (fresh []string, err error) {
	known, err := u.ids()
	if err != nil {
		return nil, err
	}
	found, err := namesIn(u.root)
	if err != nil {
		return nil, err
	}
	for _, id := range found {
		if _, err := journal.Dir(u.root, id); err != nil {
			continue
		}
		if !known[id] {
			fresh = append(fresh, id)
		}
		delete(known, id)
	}
	for id := range known {
		r, err := u.row(id)
		if err == nil {
			err = u.remove(r.number)
		}
		if err != nil {
			return nil, err
		}
	}
	return fresh, nil
}

// ids returns the ids that the index has, in one row: many rows cost more.
func (u *indexUpdate) ids() (map[string]bool, error) {
	var all sql.NullString
	if err := u.tx.QueryRowContext(u.ctx, "SELECT group_concat(id, ' ') FROM sessions").Scan(&all); err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for id := range strings.FieldsSeq(all.String) {
		known[id] = true
	}
	return known, nil
}

// session reads what is new in a session.
func (u *indexUpdate) session(id string) error {
	dir, err := journal.Dir(u.root, id)
	if err != nil {
		return nil //nolint:nilerr // a file of somebody else
	}
	r, err := u.row(id)
	if err != nil {
		return err
	}
	info, err := os.Stat(filepath.Join(dir, journal.FileName))
	if err != nil {
		if r.number != 0 {
			return u.remove(r.number)
		}
		return nil // no session yet, or one that cannot be read
	}
	if _, err := os.Stat(filepath.Join(dir, journal.EphemeralName)); err == nil {
		return nil
	}
	about := fileStamp(dir, AboutName) + fileStamp(dir, journal.UnsentName)
	if r.number != 0 && info.Size() == r.offset && about == r.about {
		u.note(id, r.offset)
		return nil
	}
	if r.number != 0 && info.Size() < r.offset { // another journal
		if err := u.remove(r.number); err != nil {
			return err
		}
		r = indexRow{session: Session{ID: id}}
	}
	return u.take(dir, r, about)
}

// take reads the journal from where the index has read it before.
func (u *indexUpdate) take(dir string, r indexRow, about string) error {
	fresh := r.number == 0
	if fresh {
		err := u.tx.QueryRowContext(u.ctx, "INSERT INTO sessions SELECT coalesce(max(number), 0) + 1, ?, '', '', 0, 0, '', '' FROM sessions RETURNING number", r.session.ID).Scan(&r.number)
		if err != nil {
			return err
		}
	}
	s := &r.session
	first, last := len(u.texts), int64(0)
	u.add(indexText{kind: "title", fresh: fresh, row: r.number << 32})
	end, err := s.read(dir, r.offset, func(e *event.Event) error {
		if kind, text := textOf(e); text != "" && e.Seq > last && e.Seq <= lastSeq {
			last = e.Seq
			u.add(indexText{r.number<<32 | e.Seq, database.SpaceApart(text), kind, fresh})
		}
		return nil
	})
	if err != nil {
		return err
	}
	u.texts[first].body = database.SpaceApart(s.Name + "\n" + strings.Join(s.Tags, " ") + "\n" + s.Title)
	summary, err := json.Marshal(s)
	if err != nil {
		return err
	}
	u.note(s.ID, end)
	_, err = u.tx.ExecContext(u.ctx, "UPDATE sessions SET dir = ?, parent = ?, last = ?, offset = ?, about = ?, summary = ? WHERE number = ?",
		s.Dir, s.Parent, s.Last.UnixNano(), end, about, string(summary), r.number)
	return err
}

// indexText is what can be found of one event, or of the title of a session, with the row of the search index.
type indexText struct {
	row        int64
	body, kind string
	fresh      bool // no other text has the row
}

func (u *indexUpdate) add(t indexText) {
	u.texts = append(u.texts, t)
	u.size += len(t.body)
}

// mostTexts is how many bytes of texts are kept before they are put into the search index.
const mostTexts = 16 << 20

// put puts the texts that were read into the search index, in the order of their rows and with no other statement between them: each
// statement, and each row below the one before, has the index write to the disk what it has.
func (u *indexUpdate) put() error {
	slices.SortFunc(u.texts, func(a, b indexText) int { return cmp.Compare(a.row, b.row) })
	for _, t := range u.texts {
		insert := "INSERT OR REPLACE INTO texts (rowid, body, kind) VALUES (?, ?, ?)"
		if t.fresh {
			insert = "INSERT INTO texts (rowid, body, kind) VALUES (?, ?, ?)"
		}
		if _, err := u.tx.ExecContext(u.ctx, insert, t.row, t.body, t.kind); err != nil {
			return err
		}
	}
	u.texts, u.size = u.texts[:0], 0
	return nil
}

const lastSeq = 1<<32 - 1

func (u *indexUpdate) row(id string) (r indexRow, err error) {
	r.session.ID = id
	var summary string
	err = u.tx.QueryRowContext(u.ctx, "SELECT number, offset, about, summary FROM sessions WHERE id = ?", id).Scan(&r.number, &r.offset, &r.about, &summary)
	if errors.Is(err, sql.ErrNoRows) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal([]byte(summary), &r.session); err != nil {
		return r, fmt.Errorf("%w: %w", errRow, err)
	}
	return r, nil
}

func (u *indexUpdate) remove(number int64) error {
	_, err := u.tx.ExecContext(u.ctx, "DELETE FROM texts WHERE rowid BETWEEN ? AND ?", number<<32, number<<32|lastSeq)
	if err == nil {
		_, err = u.tx.ExecContext(u.ctx, "DELETE FROM sessions WHERE number = ?", number)
	}
	return err
}

func (u *indexUpdate) note(id string, end int64) {
	if u.read == nil {
		u.read = map[string]int64{}
	}
	u.read[id] = end
}

// mark marks the new sessions that may still grow: a process that opened one before there was an index left no mark.
func (u *indexUpdate) mark(fresh []string) {
	for _, id := range fresh {
		dir, err := journal.Dir(u.root, id)
		if err == nil && !u.whole(dir, id, func() {}) {
			journal.MarkChanged(dir)
		}
	}
}

// whole runs do if no process has the session open and the index has read it to the end, and reports whether it did.
func (u *indexUpdate) whole(dir, id string, do func()) (done bool) {
	journal.Settled(dir, func() {
		info, err := os.Stat(filepath.Join(dir, journal.FileName))
		if done = err == nil && info.Size() == u.read[id]; done {
			do()
		}
	})
	return done
}

// unmark takes the marks of sessions that no process has open and that the index has read to the end.
func (u *indexUpdate) unmark(marked []string) {
	for _, id := range marked {
		mark := filepath.Join(journal.ChangedDir(u.root), id)
		dir, err := journal.Dir(u.root, id)
		if err != nil {
			continue
		}
		if _, err := os.Stat(dir); err != nil {
			_ = os.Remove(mark)
			continue
		}
		u.whole(dir, id, func() { _ = os.Remove(mark) })
	}
}

// fileStamp identifies a file of a session by size and time.
func fileStamp(dir, name string) string {
	info, err := os.Stat(filepath.Join(dir, name))
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), " ", info.ModTime().UnixNano())
}
