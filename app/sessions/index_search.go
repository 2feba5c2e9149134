package sessions

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strings"

	"rein/app/internal/database"
)

// Hit is a session in which a search found something.
type Hit struct {
	Session Session `json:"session"`
	Matches []Match `json:"matches"` // the newest first
	More    bool    `json:"more,omitempty"`
}

// Match is a text that has what was searched.
type Match struct {
	Seq  int64    `json:"seq"`  // of the event; 0: the title, the name or a tag
	Kind string   `json:"kind"` // title, user, model, call, result
	Text string   `json:"text"` // the words around
	Hits [][2]int `json:"hits"` // where in Text the words are: from, to, in bytes
}

const (
	begin = '\x02' // marks of the words that were found
	end   = '\x03'

	mostHits    = 20    // sessions, where the filter has no limit
	mostMatches = 3     // of a session
	mostRows    = 20000 // matches that are looked at
)

// Search finds the sessions that have all words of a query in one text, the newest first. Words in quotes must follow each
// other. The last word may be the beginning of one. Case and accents do not count.
func (x *index) Search(ctx context.Context, query string, f Filter) (hits []Hit, err error) {
	match := searchExpression(query)
	if match == "" {
		return nil, nil
	}
	err = x.current(ctx, func() error {
		hits, err = x.search(ctx, match, f)
		return err
	})
	return hits, err
}

func (x *index) search(ctx context.Context, match string, f Filter) ([]Hit, error) {
	rows, err := x.matching(ctx, match, f)
	if err != nil {
		return nil, err
	}
	matches, err := x.matches(ctx, match, rows)
	if err != nil {
		return nil, err
	}
	var hits []Hit
	for _, r := range rows {
		s, err := x.sessions(ctx, "SELECT summary FROM sessions WHERE number = ?", r.number)
		if err != nil {
			return nil, err
		}
		if len(s) == 0 {
			continue
		}
		h := Hit{Session: s[0], More: r.more}
		for _, id := range r.rows {
			h.Matches = append(h.Matches, matches[id])
		}
		hits = append(hits, h)
	}
	sort.SliceStable(hits, func(i, j int) bool {
		a, b := hits[i].Session, hits[j].Session
		if first := a.Dir == f.First; first != (b.Dir == f.First) {
			return first
		}
		return a.Last.After(b.Last)
	})
	return hits, nil
}

// foundSession is a session with some of the rows that match.
type foundSession struct {
	number int64
	rows   []int64
	more   bool
}

// matching returns the newest sessions with matches. It reads the matches from the newest on, which the search engine can do
// without finding all of them.
func (x *index) matching(ctx context.Context, match string, f Filter) (all []foundSession, err error) {
	where, args := f.where()
	allowed, err := x.numbers(ctx, where, args)
	if err != nil {
		return nil, err
	}
	rows, err := x.db.QueryContext(ctx, "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rowid DESC LIMIT ?", match, mostRows)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	limit := cmp.Or(f.Limit, mostHits)
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		number := id >> 32
		if allowed != nil && !allowed[number] {
			continue
		}
		if last := len(all) - 1; last < 0 || all[last].number != number {
			if len(all) == limit {
				break
			}
			all = append(all, foundSession{number: number})
		}
		if last := &all[len(all)-1]; len(last.rows) < mostMatches {
			last.rows = append(last.rows, id)
		} else {
			last.more = true
		}
	}
	return all, rows.Err()
}

// numbers returns the sessions that a filter lets through; nil: all.
func (x *index) numbers(ctx context.Context, where string, args []any) (map[int64]bool, error) {
	rows, err := x.db.QueryContext(ctx, "SELECT number FROM sessions"+where, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	allowed := map[int64]bool{}
	for rows.Next() {
		var n int64
		if err := rows.Scan(&n); err != nil {
			return nil, err
		}
		allowed[n] = true
	}
	return allowed, rows.Err()
}

// matches returns the words around what was found in some rows.
func (x *index) matches(ctx context.Context, match string, in []foundSession) (map[int64]Match, error) {
	get, err := x.db.PrepareContext(ctx, "SELECT kind, snippet(texts, 0, char(2), char(3), '…', 24) FROM texts WHERE texts MATCH ? AND rowid = ?")
	if err != nil {
		return nil, err
	}
	defer get.Close()
	all := map[int64]Match{}
	for _, f := range in {
		for _, id := range f.rows {
			m := Match{Seq: id & lastSeq}
			var text string
			if err := get.QueryRowContext(ctx, match, id).Scan(&m.Kind, &text); err != nil {
				return nil, err
			}
			m.Text, m.Hits = takeMarks(joinSpaced(text))
			all[id] = m
		}
	}
	return all, nil
}

// takeMarks takes the marks out of a text and returns where they were. White space becomes one space.
func takeMarks(text string) (plain string, hits [][2]int) {
	var b strings.Builder
	space := true
	for _, r := range text {
		switch {
		case r == begin:
			hits = append(hits, [2]int{b.Len(), b.Len()})
		case r == end:
			hits[len(hits)-1][1] = b.Len()
		case r <= ' ':
			if !space {
				b.WriteByte(' ')
			}
			space = true
		default:
			b.WriteRune(r)
			space = false
		}
	}
	return strings.TrimRight(b.String(), " "), hits
}

// searchExpression makes the search engine's expression of a query: its words and its phrases in quotes, all of which must be
// there.
func searchExpression(query string) string {
	var terms []string
	for i, part := range strings.Split(query, `"`) {
		if i%2 == 1 {
			terms = append(terms, searchPhrase(part, ""))
			continue
		}
		words := strings.Fields(part)
		for n, w := range words {
			prefix := ""
			if n == len(words)-1 && strings.HasSuffix(query, w) {
				prefix = "*"
			}
			terms = append(terms, searchPhrase(w, prefix))
		}
	}
	return strings.Join(slices.DeleteFunc(terms, func(t string) bool { return t == "" }), " AND ")
}

// searchPhrase is words that must follow each other. One without a letter or a digit has nothing to search.
func searchPhrase(text, end string) string {
	text = strings.Map(func(r rune) rune {
		if r == '"' || r < ' ' {
			return ' '
		}
		return r
	}, database.SpaceApart(text))
	if !strings.ContainsFunc(text, isSearchable) {
		return ""
	}
	return `"` + text + `"` + end
}
