package sessions

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Filter says which sessions are listed or searched. The zero value is all but those of sub-agents.
type Filter struct {
	Dir       string // only those of this workspace; "" is all
	First     string // those of this workspace come first
	Tag       string // only those with this tag; "" is all
	SubAgents bool   // those of sub-agents too
	Limit     int    // at most so many; 0 is all
}

// List returns the sessions, the newest first, and how many there are without the limit.
func (x *index) List(ctx context.Context, f Filter) (all []Session, total int, err error) {
	err = x.current(ctx, func() error {
		where, args := f.where()
		if err := x.db.QueryRowContext(ctx, "SELECT count(*) FROM sessions"+where, args...).Scan(&total); err != nil {
			return err
		}
		query := "SELECT summary FROM sessions" + where + " ORDER BY "
		if f.First != "" {
			query, args = query+"dir <> ?, ", append(args, f.First)
		}
		query += "last DESC, id DESC"
		if f.Limit > 0 {
			query, args = query+" LIMIT ?", append(args, f.Limit)
		}
		all, err = x.sessions(ctx, query, args...)
		return err
	})
	return all, total, err
}

// Named returns the sessions that a text names: those with exactly this name, else those whose id, last part of the id, or
// name begins with it. At most 20.
func (x *index) Named(ctx context.Context, text string) (found []Session, err error) {
	err = x.current(ctx, func() error {
		found, err = x.sessions(ctx, "SELECT summary FROM sessions WHERE summary ->> 'name' = ? ORDER BY last DESC LIMIT 20", text)
		if err != nil || len(found) > 0 || text == "" {
			return err
		}
		like := strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(text) + "%"
		found, err = x.sessions(ctx, `SELECT summary FROM sessions WHERE id LIKE ?1 ESCAPE '\' OR id LIKE '%-' || ?1 ESCAPE '\' OR summary ->> 'name' LIKE ?1 ESCAPE '\'
			ORDER BY last DESC`, like)
		found = slices.DeleteFunc(found, func(s Session) bool {
			return !strings.HasPrefix(s.ID, text) && !strings.HasPrefix(s.ID[strings.LastIndexByte(s.ID, '-')+1:], text) &&
				!strings.HasPrefix(strings.ToLower(s.Name), strings.ToLower(text))
		})
		found = found[:min(len(found), 20)]
		return err
	})
	return found, err
}

// Children returns the sessions of the sub-agents of a session, the oldest first.
func (x *index) Children(ctx context.Context, id string) (found []Session, err error) {
	err = x.current(ctx, func() error {
		found, err = x.sessions(ctx, "SELECT summary FROM sessions WHERE parent = ? ORDER BY number", id)
		return err
	})
	return found, err
}

func (x *index) sessions(ctx context.Context, query string, args ...any) (all []Session, err error) {
	rows, err := x.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var summary string
		var s Session
		if err := rows.Scan(&summary); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(summary), &s); err != nil {
			return nil, fmt.Errorf("%w: %w", errRow, err)
		}
		all = append(all, s)
	}
	return all, rows.Err()
}

// where is the condition of the filter.
func (f Filter) where() (sql string, args []any) {
	var all []string
	if !f.SubAgents {
		all = append(all, "parent = ''")
	}
	if f.Dir != "" {
		all, args = append(all, "dir = ?"), append(args, f.Dir)
	}
	if f.Tag != "" {
		all, args = append(all, "EXISTS (SELECT 1 FROM json_each(summary, '$.tags') WHERE value = ?)"), append(args, f.Tag)
	}
	if len(all) > 0 {
		sql = " WHERE " + strings.Join(all, " AND ")
	}
	return sql, args
}
