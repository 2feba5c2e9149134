package memory

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"rein/app/internal/database"
	"rein/kit/tools/memory"
	"rein/tool"
)

// Put stores an entry. One with the same id, or with the same text in the same scope, is replaced; a proposal replaces only a
// proposal. It fails with a *tool.Error where the text holds a secret, or a value is out of bounds.
func (s *Store) Put(ctx context.Context, e memory.Entry) (memory.Entry, error) {
	e, err := s.checked(e)
	if err != nil {
		return e, err
	}
	db, err := s.opened(true)
	if err != nil {
		return e, err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return e, fmt.Errorf("memory: %w", err)
	}
	defer tx.Rollback()
	e, err = s.put(ctx, tx, e)
	if err == nil {
		err = tx.Commit()
	}
	return e, err
}

// New returns an entry that a user writes, without its text: for all projects, or for one.
func (s *Store) New(scope, project, by string) memory.Entry {
	return memory.Entry{Scope: scope, Project: project, By: by}
}

// PutAll stores entries, all of them or none.
func (s *Store) PutAll(ctx context.Context, all []memory.Entry) error {
	db, err := s.opened(true)
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	defer tx.Rollback()
	for i, e := range all {
		if e, err = s.checked(e); err == nil {
			_, err = s.put(ctx, tx, e)
		}
		if err != nil {
			return fmt.Errorf("entry %d: %w", i+1, err)
		}
	}
	return tx.Commit()
}

// checked returns the entry with its defaults, or what is wrong with it.
func (s *Store) checked(e memory.Entry) (memory.Entry, error) {
	e.Text = strings.ToValidUTF8(strings.TrimSpace(e.Text), "")
	e.Category = cmp.Or(e.Category, memory.Categories()[0])
	if e.Created.IsZero() {
		e.Created = time.Now()
	}
	if e.Scope == memory.User {
		e.Project = ""
	}
	bad := func(kind tool.Kind, format string, a ...any) (memory.Entry, error) {
		return e, &tool.Error{Kind: kind, Text: fmt.Sprintf(format, a...)}
	}
	switch {
	case e.Text == "":
		return bad(tool.BadArguments, "The text is empty.")
	case len(e.Text) > memory.MaxText:
		return bad(tool.TooLarge, "The text has %d bytes, at most %d. Store the facts one by one, or write a file.", len(e.Text), memory.MaxText)
	case e.Scope != memory.User && e.Scope != memory.Project:
		return bad(tool.BadArguments, "There is no scope %q: expected user or project.", e.Scope)
	case e.Scope == memory.Project && e.Project == "":
		return bad(tool.BadArguments, "An entry of the scope project needs a directory.")
	case !slices.Contains(memory.Categories(), e.Category):
		return bad(tool.BadArguments, "There is no category %q: expected %s.", e.Category, strings.Join(memory.Categories(), ", "))
	case e.Importance < 0 || e.Importance > 10:
		return bad(tool.BadArguments, "The importance is %d: expected 0 to 10.", e.Importance)
	case len(e.Tags) > memory.MaxTags:
		return bad(tool.TooLarge, "Tags: %d, at most %d.", len(e.Tags), memory.MaxTags)
	case s.secret(e.Text), s.secret(strings.Join(e.Tags, " ")):
		return e, &tool.Error{Kind: tool.Denied, Text: "This holds a secret, so it is not stored.", Hint: "Store where the secret is kept, not its value."}
	}
	for i, t := range e.Tags {
		t = strings.Join(strings.Fields(strings.ToLower(t)), "-")
		if t == "" || len(t) > memory.MaxTag {
			return bad(tool.BadArguments, "The tag %q is empty or longer than %d bytes.", e.Tags[i], memory.MaxTag)
		}
		e.Tags[i] = t
	}
	return e, nil
}

func (s *Store) secret(text string) bool { return s.Mask != nil && s.Mask(text) != text }

// put stores a checked entry.
func (s *Store) put(ctx context.Context, tx *sql.Tx, e memory.Entry) (memory.Entry, error) {
	sum := sha256.Sum256([]byte(strings.Join(strings.Fields(strings.ToLower(e.Text)), " ")))
	digest := sum[:16]
	old, err := scan(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM memory WHERE project = ? AND digest = ?", e.Project, digest))
	switch {
	case errors.Is(err, sql.ErrNoRows):
	case err != nil:
		return e, err
	case e.Proposed && !old.Proposed:
		return old, nil
	case e.ID != 0 && e.ID != old.ID: // both become one
		if err := remove(ctx, tx, old.ID); err != nil {
			return e, err
		}
	default:
		e.ID = old.ID
	}
	if e.ID == 0 {
		if err := s.room(ctx, tx); err != nil {
			return e, err
		}
	} else if _, err := tx.ExecContext(ctx, "DELETE FROM terms WHERE rowid = ?", e.ID); err != nil {
		return e, err
	}
	var expires int64
	if !e.Expires.IsZero() {
		expires = e.Expires.UnixMilli()
	}
	var id any
	if e.ID != 0 {
		id = e.ID
	}
	r, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO memory (id, scope, project, category, text, importance, tags, created, expires, source, by, proposed, why, digest) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
		id, e.Scope, e.Project, e.Category, e.Text, e.Importance, strings.Join(e.Tags, " "), e.Created.UnixMilli(), expires, e.Source, e.By, e.Proposed, e.Why, digest)
	if err != nil {
		return e, err
	}
	if e.ID, err = r.LastInsertId(); err != nil {
		return e, err
	}
	return e, indexed(ctx, tx, e)
}

// indexed makes an entry findable by its words.
func indexed(ctx context.Context, tx *sql.Tx, e memory.Entry) error {
	text := e.Text + " " + strings.Join(e.Tags, " ")
	_, err := tx.ExecContext(ctx, "INSERT INTO terms (rowid, scope, body) VALUES (?,?,?)", e.ID, scopeWord(e.Project)+" "+categoryWord(e.Category),
		database.SpaceApart(text)+" "+database.LetterPairs(text))
	return err
}

// room refuses a new entry where the store is full, after it has deleted what has expired.
func (s *Store) room(ctx context.Context, tx *sql.Tx) error {
	var last, n int64
	most := int64(cmp.Or(s.Most, defaultMost))
	if err := tx.QueryRowContext(ctx, "SELECT ifnull(max(id), 0) FROM memory").Scan(&last); err != nil || last < most {
		return err // there were never more ids than that
	}
	if err := purge(ctx, tx, time.Now()); err != nil {
		return err
	}
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM memory").Scan(&n); err != nil || n < most {
		return err
	}
	return &tool.Error{Kind: tool.TooLarge, Text: fmt.Sprintf("Entries in memory: %d; the limit is %d.", n, most), Hint: "Delete what is out of date: memory_list, memory_forget."}
}

// purge deletes what has expired.
func purge(ctx context.Context, tx *sql.Tx, now time.Time) error {
	for _, statement := range []string{
		"DELETE FROM terms WHERE rowid IN (SELECT id FROM memory WHERE expires > 0 AND expires <= ?)",
		"DELETE FROM memory WHERE expires > 0 AND expires <= ?",
	} {
		if _, err := tx.ExecContext(ctx, statement, now.UnixMilli()); err != nil {
			return err
		}
	}
	return nil
}

func remove(ctx context.Context, tx *sql.Tx, id int64) error {
	_, err := tx.ExecContext(ctx, "DELETE FROM terms WHERE rowid = ?", id)
	if err == nil {
		_, err = tx.ExecContext(ctx, "DELETE FROM memory WHERE id = ?", id)
	}
	return err
}

// Delete deletes one entry; ok is false when there is none.
func (s *Store) Delete(ctx context.Context, id int64) (ok bool, err error) {
	db, err := s.opened(false)
	if db == nil || err != nil {
		return false, err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return false, fmt.Errorf("memory: %w", err)
	}
	defer tx.Rollback()
	var n int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM memory WHERE id = ?", id).Scan(&n); err != nil || n == 0 {
		return false, err
	}
	if err := remove(ctx, tx, id); err != nil {
		return false, err
	}
	return true, tx.Commit()
}

// scopeWord is the word of a project in the index: letters, so that no tokenizer takes it apart.
func scopeWord(project string) string {
	if project == "" {
		return "u"
	}
	sum := sha256.Sum256([]byte(project))
	word := []byte{'p'}
	for _, b := range sum[:10] {
		word = append(word, 'a'+b>>4, 'a'+b&15, 'q') // a stemmer leaves such a word alone
	}
	return string(word)
}

func splitTags(tags string) []string { return strings.Fields(tags) }

// categoryWord is the word of a category in the index.
func categoryWord(category string) string { return "cq" + category + "qq" }

// Refused reports whether an error says that an entry is not one that can be stored.
func Refused(err error) bool {
	_, ok := errors.AsType[*tool.Error](err)
	return ok
}
