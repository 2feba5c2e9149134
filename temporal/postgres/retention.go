package postgres

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/jackc/pgx/v5"

	"rein/event"
	"rein/temporal"
)

// Sessions reads the last row of each session. The sessions are found by the index, as there may be many more rows.
func (s *Store) Sessions(ctx context.Context) iter.Seq2[temporal.Stored, error] {
	return func(yield func(temporal.Stored, error) bool) {
		rows, err := s.pool.Query(ctx, `WITH RECURSIVE s AS ((SELECT session FROM rein_events ORDER BY session LIMIT 1) UNION ALL
			SELECT (SELECT e.session FROM rein_events e WHERE e.session > s.session ORDER BY e.session LIMIT 1) FROM s WHERE s.session IS NOT NULL)
			SELECT s.session, e.seq, e.line FROM s CROSS JOIN LATERAL (SELECT seq, line FROM rein_events WHERE session = s.session ORDER BY seq DESC LIMIT 1) e`)
		if err != nil {
			yield(temporal.Stored{}, err)
			return
		}
		defer rows.Close()
		for rows.Next() {
			var one temporal.Stored
			var line []byte
			var e event.Event
			if err := rows.Scan(&one.ID, &one.Seq, &line); err != nil {
				yield(temporal.Stored{}, err)
				return
			}
			line, err := s.Keys.Unseal(place(one.ID, one.Seq), line)
			if err == nil {
				err = e.Parse(line)
			}
			if one.Last = e.Time; err == nil && e.Time.IsZero() {
				err = errors.New("its last event has no time")
			}
			if err != nil {
				err = fmt.Errorf("session %s: %w", one.ID, err)
			}
			if !yield(one, err) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(temporal.Stored{}, err)
		}
	}
}

// Remove removes the rows of a session, all or none. While it holds the last one, no step can append: see log.Append.
func (s *Store) Remove(ctx context.Context, r temporal.Removal) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT FROM rein_events WHERE session = $1 AND seq = $2 FOR UPDATE", r.Session, r.Seq); err != nil {
			return err
		}
		last := int64(0)
		if err := tx.QueryRow(ctx, "SELECT coalesce(max(seq), 0) FROM rein_events WHERE session = $1", r.Session).Scan(&last); err != nil {
			return err
		}
		if last != 0 && last != r.Seq {
			return fmt.Errorf("%w: its last event is %d, and was %d", temporal.ErrUsed, last, r.Seq)
		}
		if r.First != nil {
			if err := r.First(ctx); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, "DELETE FROM rein_data WHERE session = $1", r.Session)
		if err == nil && last != 0 {
			_, err = tx.Exec(ctx, "DELETE FROM rein_events WHERE session = $1", r.Session)
		}
		return err
	})
}
