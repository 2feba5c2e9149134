package stats

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"rein/event"
)

// Row is what one tool, model, agent, project or day comes to.
type Row struct {
	Sessions int           `json:"sessions"` // that began there; 0 for tools and models
	Requests int           `json:"requests"` // to models
	Calls    int           `json:"calls"`
	Failed   int           `json:"failed"`    // calls whose result is a failure
	Denied   int           `json:"denied"`    // of them, by the guards or a person
	Asked    int           `json:"asked"`     // calls that needed an approval
	Waited   time.Duration `json:"waited_ns"` // for approvals
	Ran      time.Duration `json:"ran_ns"`    // the time of calls, without approvals
	Answered time.Duration `json:"model_ns"`  // the time in which models answered
	Usage    event.Usage   `json:"usage"`
}

// Tokens are those of the input and the output.
func (r Row) Tokens() int64 { return r.Usage.Input + r.Usage.Output }

func (r *Row) add(q Row) {
	r.Sessions, r.Requests, r.Calls, r.Failed = r.Sessions+q.Sessions, r.Requests+q.Requests, r.Calls+q.Calls, r.Failed+q.Failed
	r.Denied, r.Asked, r.Waited, r.Ran, r.Answered = r.Denied+q.Denied, r.Asked+q.Asked, r.Waited+q.Waited, r.Ran+q.Ran, r.Answered+q.Answered
	r.Usage = r.Usage.Plus(q.Usage)
}

// used adds what a request used.
func (r *Row) used(e event.Event) {
	if e.Usage != nil {
		r.Usage = r.Usage.Plus(*e.Usage)
	}
	if e.Request != nil {
		r.Answered += e.Request.Duration
	}
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// rowNames are the rows that what comes next counts in; "" is none.
type rowNames struct {
	session, model, agent, project, day string
	began                               bool // the session was counted
}

// mainAgent is the agent that the user talks to.
const mainAgent = "rein"

// pending begins the name of a sub-agent whose kind is not known yet: the journal of its parent has it.
const pending = "\x00"

// name says in which rows an event counts.
func (c *Counter) name(e event.Event) {
	c.session = cmp.Or(e.Session, c.session)
	c.agent = cmp.Or(c.agent, mainAgent)
	if e.Parent != "" {
		c.agent = cmp.Or(c.kinds[c.session], pending+c.session)
	}
	if !e.Time.IsZero() {
		c.day = e.Time.UTC().Format(time.DateOnly)
	}
}

// started counts the session, and notes its workspace and its model.
func (c *Counter) started(e event.Event) {
	if e.Start == nil {
		return
	}
	c.project, c.model = e.Start.Dir, e.Start.Model
	if c.began {
		return
	}
	c.began = true
	for rows, name := range map[*map[string]Row]string{&c.Agents: c.agent, &c.Projects: c.project, &c.Days: c.day} {
		count(*rows, name, func(r *Row) { r.Sessions++ })
	}
}

// kind says what a sub-agent is.
func (c *Counter) kind(session, kind string) {
	c.kinds[session] = kind
	if r, ok := c.Agents[pending+session]; ok {
		delete(c.Agents, pending+session)
		count(c.Agents, kind, func(all *Row) { all.add(r) })
	}
}

// Sum returns the counts. Sub-agents whose parents were not counted are one kind.
func (c *Counter) Sum() Stats {
	for name, r := range maps.Clone(c.Agents) {
		if strings.HasPrefix(name, pending) {
			delete(c.Agents, name)
			count(c.Agents, "sub-agent", func(all *Row) { all.add(r) })
		}
	}
	return c.Stats
}

// count adds to all rows of what happens now. tool is "" where it is about no call.
func (c *Counter) count(tool string, add func(*Row)) {
	count(c.Tools, tool, add)
	count(c.Models, c.model, add)
	count(c.Agents, c.agent, add)
	count(c.Projects, c.project, add)
	count(c.Days, c.day, add)
}

func count(rows map[string]Row, name string, add func(*Row)) {
	if name != "" {
		r := rows[name]
		add(&r)
		rows[name] = r
	}
}

// waited counts how long a call waited for an approval.
func (c *Counter) waited(e event.Event) {
	since, ok := c.asked[e.Call.ID]
	if !ok || since.IsZero() || e.Time.Before(since) {
		return
	}
	c.asked[e.Call.ID] = time.Time{}
	c.count(c.names[e.Call.ID], func(r *Row) { r.Waited += e.Time.Sub(since) })
}

// Table is the rows of one kind.
type Table struct {
	By   string // tool, model, agent, project, day
	Rows map[string]Row
}

// Tables are all rows.
func (s Stats) Tables() []Table {
	return []Table{{"tool", s.Tools}, {"model", s.Models}, {"agent", s.Agents}, {"project", s.Projects}, {"day", s.Days}}
}

// Names are those of the rows: days in their order, else the row with the most tokens first, then that with the most calls.
func (t Table) Names() []string {
	names := slices.Sorted(maps.Keys(t.Rows))
	if t.By != "day" {
		slices.SortStableFunc(names, func(a, b string) int {
			return cmp.Or(cmp.Compare(t.Rows[b].Tokens(), t.Rows[a].Tokens()), cmp.Compare(t.Rows[b].Calls, t.Rows[a].Calls))
		})
	}
	return names
}

// WriteCSV writes tables as one, with a heading, for a spreadsheet.
func WriteCSV(w io.Writer, tables []Table) error {
	rows := [][]string{{"by", "name", "sessions", "requests", "calls", "failed", "denied", "asked", "waited_seconds", "ran_seconds", "model_seconds", "input_tokens", "output_tokens", "cached_tokens", "usd"}}
	for _, t := range tables {
		for _, name := range t.Names() {
			r := t.Rows[name]
			row := []string{t.By, Plain(name)}
			for _, n := range []any{r.Sessions, r.Requests, r.Calls, r.Failed, r.Denied, r.Asked, r.Waited.Seconds(), r.Ran.Seconds(), r.Answered.Seconds(), r.Usage.Input, r.Usage.Output, r.Usage.CacheRead} {
				row = append(row, fmt.Sprint(n))
			}
			rows = append(rows, append(row, fmt.Sprintf("%.6f", r.Usage.Cost)))
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// Plain is a text for a cell of a spreadsheet: one that it would take for a formula has an apostrophe before it.
func Plain(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
