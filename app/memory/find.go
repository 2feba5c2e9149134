package memory

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"rein/kit/tools/memory"
)

const (
	usualLimit = 10
	// mostMatches is how many entries with a word are looked at, the newest. A word that is in more of them says little. Of more
	// than fewWords words it is less for each.
	mostMatches = 1000
	fewWords    = 6
	// mostRanked is how many entries are compared by importance and age.
	mostRanked = 400
	// fading is how fast an entry counts less for its age, down to the half.
	fading = 90 * 24 * time.Hour
)

// Find returns the entries that match. With a text, those that have more and rarer of its words come first; importance and age
// count too. Then the total is -1: it is not counted.
func (s *Store) Find(ctx context.Context, q memory.Query) (all []memory.Entry, total int, err error) {
	db, err := s.opened(false)
	if db == nil || err != nil {
		return nil, 0, err
	}
	q.Limit = cmp.Or(q.Limit, usualLimit)
	if q.Text == "" {
		all, total, err = list(ctx, db, q)
	} else {
		all, err = search(ctx, db, q)
		total = -1
	}
	if err != nil {
		err = fmt.Errorf("memory: %w", err)
	}
	return all, total, err
}

// Here returns the entries of a project and of the user, at most most: the best for the words of a text, or the newest.
func (s *Store) Here(ctx context.Context, project, text string, most int) ([]memory.Entry, error) {
	all, _, err := s.Find(ctx, memory.Query{Text: text, Project: project, Limit: most})
	return all, err
}

// Proposals is Here for the entries that wait for the user.
func (s *Store) Proposals(ctx context.Context, project, text string, most int) ([]memory.Entry, error) {
	all, _, err := s.Find(ctx, memory.Query{Text: text, Project: project, Proposed: true, Limit: most})
	return all, err
}

// where returns the conditions of a query but for its text.
func where(q memory.Query, now time.Time) (string, []any) {
	conditions, args := []string{"proposed = ?", "(expires = 0 OR expires > ?)"}, []any{q.Proposed, now.UnixMilli()}
	add := func(condition string, arg any) {
		conditions, args = append(conditions, condition), append(args, arg)
	}
	if !q.All {
		add("project IN ('', ?)", q.Project)
	}
	if q.Scope != "" {
		add("scope = ?", q.Scope)
	}
	if q.Category != "" {
		add("category = ?", q.Category)
	}
	if q.Tag != "" {
		add("instr(' ' || tags || ' ', ' ' || ? || ' ') > 0", strings.ToLower(q.Tag))
	}
	if !q.Since.IsZero() {
		add("created >= ?", q.Since.UnixMilli())
	}
	if !q.Until.IsZero() {
		add("created < ?", q.Until.UnixMilli())
	}
	return strings.Join(conditions, " AND "), args
}

// mostCounted is how many entries a list counts.
const mostCounted = 1000

// list returns the newest entries, those of the user and of the project each by their index.
func list(ctx context.Context, db *sql.DB, q memory.Query) (all []memory.Entry, total int, err error) {
	projects := []any{"", q.Project}
	if q.Project == "" {
		projects = projects[:1]
	}
	if q.All {
		projects, q.All = nil, true
	}
	condition, args := where(q, time.Now())
	each := func(p any, most int) (string, []any) {
		if p == nil {
			return "SELECT id FROM memory WHERE " + condition + " ORDER BY created DESC, id DESC LIMIT ?", append(slices.Clone(args), most)
		}
		return "SELECT id FROM memory WHERE project = ? AND " + condition + " ORDER BY created DESC, id DESC LIMIT ?", append([]any{p}, append(slices.Clone(args), most)...)
	}
	if projects == nil {
		projects = []any{nil}
	}
	for _, p := range projects {
		statement, args := each(p, q.Limit)
		some, err := entries(ctx, db, "WHERE id IN ("+statement+")", args...)
		if err != nil {
			return nil, 0, err
		}
		all = append(all, some...)
		statement, args = each(p, mostCounted)
		var n int
		if err := db.QueryRowContext(ctx, "SELECT count(*) FROM ("+statement+")", args...).Scan(&n); err != nil {
			return nil, 0, err
		}
		total += n
	}
	sort.Slice(all, func(i, j int) bool {
		return cmp.Or(all[j].Created.Compare(all[i].Created), cmp.Compare(all[j].ID, all[i].ID)) < 0
	})
	return all[:min(len(all), q.Limit)], min(total, mostCounted), nil
}

func entries(ctx context.Context, db *sql.DB, rest string, args ...any) (all []memory.Entry, err error) {
	rows, err := db.QueryContext(ctx, "SELECT "+columns+" FROM memory "+rest, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		e, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, rows.Err()
}

// search ranks what has the words. It takes no rank of the search engine: that reads every entry with a word, which takes long
// where a word is in most of them.
func search(ctx context.Context, db *sql.DB, q memory.Query) ([]memory.Entry, error) {
	ids, all, err := best(ctx, db, q, "")
	if scope := scopeOf(q); err == nil && !all && len(ids) < q.Limit && scope != "" { // most of what was looked at is of other projects
		ids, _, err = best(ctx, db, q, scope)
	}
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	text, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	found, err := entries(ctx, db, "WHERE id IN (SELECT value FROM json_each(?))", string(text))
	sort.Slice(found, func(i, j int) bool { return slices.Index(ids, found[i].ID) < slices.Index(ids, found[j].ID) })
	return found, err
}

// best returns the entries that match best. all is false where some that match were not looked at.
func best(ctx context.Context, db *sql.DB, q memory.Query, scope string) (ids []int64, all bool, err error) {
	scores, all, err := candidates(ctx, db, q, scope)
	if err != nil {
		return nil, false, err
	}
	for id := range scores {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b int64) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(b, a)) })
	if most := mostRanked * boost(q); len(ids) > most {
		ids, all = ids[:most], false
	}
	ids, err = ranked(ctx, db, q, ids, scores, time.Now())
	return ids, all, err
}

// boost is how many times more entries are ranked where conditions leave many of them out.
func boost(q memory.Query) int {
	if q.Tag == "" && q.Category == "" && q.Since.IsZero() && q.Until.IsZero() {
		return 1
	}
	return 5
}

// ranked returns the best entries: by words, importance and age.
func ranked(ctx context.Context, db *sql.DB, q memory.Query, ids []int64, scores map[int64]float64, now time.Time) ([]int64, error) {
	text, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	condition, args := where(q, now)
	rows, err := db.QueryContext(ctx, "SELECT memory.id, importance, created FROM json_each(?) CROSS JOIN memory ON memory.id = value WHERE "+condition, append([]any{string(text)}, args...)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	ids = ids[:0]
	for rows.Next() {
		var id, created int64
		var importance float64
		if err := rows.Scan(&id, &importance, &created); err != nil {
			return nil, err
		}
		age := max(now.Sub(time.UnixMilli(created)), 0)
		scores[id] *= (0.5 + importance/10) * (0.5 + 0.5*math.Exp(-float64(age)/float64(fading)))
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b int64) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(b, a)) })
	return ids[:min(len(ids), q.Limit)], rows.Err()
}

// candidates returns the entries that have words of the query: each word counts the more the rarer it is. Of each word the newest
// entries are looked at, and those that have all words.
func candidates(ctx context.Context, db *sql.DB, q memory.Query, scope string) (scores map[int64]float64, all bool, err error) {
	words := wordsOf(q.Text)
	if len(words) == 0 {
		return nil, true, nil
	}
	var last int64
	if err := db.QueryRowContext(ctx, "SELECT ifnull(max(id), 0) FROM memory").Scan(&last); err != nil {
		return nil, false, err
	}
	below, err := before(ctx, db, q.Until)
	if err != nil {
		return nil, false, err
	}
	scores = map[int64]float64{}
	most := mostMatches * fewWords / max(fewWords, len(words))
	var cut []weighed // the words of which not all entries were looked at
	for _, w := range words {
		phrase := "body : " + quoted(w)
		ids, all, err := newest(ctx, db, phrase+scope, below, most)
		if err != nil {
			return nil, false, err
		}
		weight := weightOf(ids, last, most)
		for _, id := range ids {
			scores[id] += weight
		}
		if !all {
			cut = append(cut, weighed{phrase, weight})
		}
	}
	if len(cut) < 2 {
		return scores, len(cut) == 0, nil
	}
	sort.Slice(cut, func(i, j int) bool { return cut[i].weight > cut[j].weight })
	ids, err := matching(ctx, db, cut[0].phrase+" AND "+cut[1].phrase+scope, below, most) // older ones that have the two rarest
	for _, id := range ids {
		scores[id] = max(scores[id], cut[0].weight+cut[1].weight)
	}
	return scores, false, err
}

// weighed is a word with its weight.
type weighed struct {
	phrase string
	weight float64
}

// newest returns the newest entries that match, those up to an id too, and whether these are all.
func newest(ctx context.Context, db *sql.DB, match string, below int64, most int) (ids []int64, all bool, err error) {
	if ids, err = matching(ctx, db, match, math.MaxInt64, most); err != nil || len(ids) < most {
		return ids, err == nil, err
	}
	if below < ids[len(ids)-1] {
		older, err := matching(ctx, db, match, below, most)
		return append(ids, older...), false, err
	}
	return ids, false, nil
}

// weightOf is how much a word says: the logarithm of one in how many entries has it.
func weightOf(ids []int64, last int64, most int) float64 {
	many := float64(len(ids))
	if len(ids) >= most { // as often among the older ones as among these
		many = float64(most) * float64(last) / float64(last-ids[most-1]+1)
	}
	return math.Log(1 + float64(last)/(many+1))
}

// before returns the last entry that was made before a time, as entries are made in their order.
func before(ctx context.Context, db *sql.DB, until time.Time) (last int64, err error) {
	if until.IsZero() {
		return math.MaxInt64, nil
	}
	err = db.QueryRowContext(ctx, "SELECT ifnull((SELECT id FROM memory WHERE created < ? ORDER BY created DESC LIMIT 1), 0)", until.UnixMilli()).Scan(&last)
	return last, err
}

// scopeOf returns the condition that leaves other projects and categories out; "" where there is none.
func scopeOf(q memory.Query) (and string) {
	if !q.All {
		of := `"` + scopeWord("") + `"`
		if q.Scope != memory.User && q.Project != "" {
			of += ` OR "` + scopeWord(q.Project) + `"`
		}
		and = " AND scope : (" + of + ")"
	}
	if q.Category != "" {
		and += ` AND scope : "` + categoryWord(q.Category) + `"`
	}
	return and
}

// matching returns the newest entries that match, up to an id, the newest first.
func matching(ctx context.Context, db *sql.DB, match string, to int64, most int) (ids []int64, err error) {
	rows, err := db.QueryContext(ctx, "SELECT rowid FROM terms WHERE terms MATCH ? AND rowid <= ? ORDER BY rowid DESC LIMIT ?", match, to, most)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// Every returns all entries of the user and a project, or of all projects, also those that are proposed or have expired, in the
// order of their ids.
func (s *Store) Every(ctx context.Context, project string, all bool) ([]memory.Entry, error) {
	db, err := s.opened(false)
	if db == nil || err != nil {
		return nil, err
	}
	return entries(ctx, db, "WHERE project = '' OR project = ? OR ? ORDER BY id", project, all)
}
