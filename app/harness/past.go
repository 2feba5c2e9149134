package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"strings"
	"unicode/utf8"

	"rein/agent"
	"rein/event"
	"rein/journal"
	"rein/tool"
)

// pastFacts reads what a result of rein's tools says about the state of the work.
func pastFacts(r tool.Result) (f agent.CompactionFacts) {
	d := tool.ParseDetail(r.Detail)
	if d.Plan != nil {
		f.Plan = []string{}
		for _, s := range d.Plan.Steps {
			f.Plan = append(f.Plan, "- ["+s.Status+"] "+s.Content)
		}
	}
	for _, c := range d.Changes {
		file := agent.CompactedFile{Path: c.Path, State: fmt.Sprintf("changed, +%d -%d", c.Added, c.Removed)}
		switch {
		case r.Failed:
			continue
		case r.Name == "undo_edit":
			file.State = "a change was undone"
		case c.Deleted:
			file.State = "deleted"
		case c.From != "":
			file.State = "moved from " + c.From
		case c.Created:
			file.State = "made"
		}
		f.Files = append(f.Files, file)
	}
	if c := d.Command; c != nil && c.Job != "" {
		f.Jobs = append(f.Jobs, agent.CompactedJob{ID: c.Job, Running: c.Running})
	}
	return f
}

// pastJournal is the journal of a session, as tools.Past wants it. It may be read while the session writes it.
type pastJournal struct {
	File string // the journal file
}

// events returns the recorded events of the session.
func (p pastJournal) events(ctx context.Context) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		for e, err := range journal.Read(p.File) {
			switch {
			case errors.Is(err, journal.ErrTorn): // a line that is being written
				return
			case err == nil && ctx.Err() != nil:
				err = context.Cause(ctx)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Result implements tools.Past.
func (p pastJournal) Result(ctx context.Context, call string) (text string, ok bool, err error) {
	asked := ""
	for e, err := range p.events(ctx) {
		switch {
		case err != nil:
			return "", false, err
		case e.Call == nil || e.Call.ID != call:
		case e.Kind == event.Called:
			asked = e.Call.Name + " " + string(e.Call.Args)
		case e.Kind == event.Replied && e.Result != nil:
			text, ok = e.Result.Text, true
		}
	}
	return asked + "\n" + text, ok, nil
}

// Message implements tools.Past.
func (p pastJournal) Message(ctx context.Context, number int64) (text string, ok bool, err error) {
	for e, err := range p.events(ctx) {
		if err != nil {
			return "", false, err
		}
		if e.Seq == number && isMessage(e) {
			return messageText(e), true, nil
		}
	}
	return "", false, nil
}

// Find implements tools.Past.
func (p pastJournal) Find(ctx context.Context, pattern *regexp.Regexp, most int) (lines []string, all int, err error) {
	for e, err := range p.events(ctx) {
		if err != nil {
			return nil, 0, err
		}
		where, text := "", ""
		switch {
		case isMessage(e):
			where, text = fmt.Sprintf("message %d (%s)", e.Seq, authorOf(e)), messageText(e)
		case e.Kind == event.Replied && e.Result != nil && e.Result.Name != "recall":
			where, text = fmt.Sprintf("result of %s, call %q", e.Result.Name, e.Result.ID), e.Result.Text
		}
		if at := pattern.FindStringIndex(text); at != nil {
			all++
			lines = append(lines, where+": "+excerptAround(text, at[0], at[1]))
			lines = lines[max(0, len(lines)-most):]
		}
	}
	return lines, all, nil
}

func isMessage(e event.Event) bool {
	return e.Kind == event.Prompted || e.Kind == event.Responded || e.Kind == event.Compacted && len(e.Message) > 0
}

func authorOf(e event.Event) string {
	switch e.Kind {
	case event.Prompted:
		return "the user"
	case event.Compacted:
		return "notes"
	}
	return "the model"
}

// messageText is the text of a message: notes are only in the message itself.
func messageText(e event.Event) string {
	if e.Kind != event.Compacted {
		return e.Text
	}
	var m struct {
		Parts []struct {
			Text string `json:"text"`
		} `json:"parts"`
	}
	if json.Unmarshal(e.Message, &m) != nil || len(m.Parts) == 0 {
		return ""
	}
	return m.Parts[0].Text
}

// excerptAround is a match with what is around it, on one line.
func excerptAround(text string, from, to int) string {
	const margin = 100
	from, to = max(0, from-margin), min(len(text), min(to, from+margin)+margin)
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	return strings.Join(strings.Fields(text[from:to]), " ")
}
