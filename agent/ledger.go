package agent

import (
	"slices"
	"strings"

	"rein/event"
	"rein/tool"
)

// CompactionFacts are what a result says about the state of the work. Only the program that made the tools can read it.
type CompactionFacts struct {
	Plan  []string // the steps of the plan as it is now, with their states; nil: the result is about something else
	Files []CompactedFile
	Jobs  []CompactedJob
}

// CompactedFile is a file that a call changed.
type CompactedFile struct {
	Path  string
	State string // written, deleted, moved from …
	Gone  bool   // the change was taken back: the file is not listed
}

// CompactedJob is a command in the background.
type CompactedJob struct {
	ID      string
	Command string
	Running bool
}

// compactionLedger gathers what must survive a compaction word for word, from the events of a session. What it gathers depends on
// the events alone, so a loaded session gathers the same. The zero value is ready.
type compactionLedger struct {
	// Read reads the facts of a result. Nil: results have none.
	Read func(tool.Result) CompactionFacts

	prompts  []note
	answers  []note
	failures []note
	plans    []note
	files    []note // key is the path
	jobs     []note // key is the id
	agents   []note // key is the id of the sub-agent's session
	calls    map[string]tool.Call
}

// note is a line of the ledger, with the number of its event.
type note struct {
	seq  int64
	key  string
	text string
}

// mostFailures is how many failed attempts the ledger keeps.
const mostFailures = 10

// See takes the next event of the session.
func (l *compactionLedger) See(e event.Event) {
	switch e.Kind {
	case event.Prompted:
		l.prompts = append(l.prompts, note{seq: e.Seq, text: e.Text})
	case event.Called:
		if e.Call != nil {
			if l.calls == nil {
				l.calls = map[string]tool.Call{}
			}
			l.calls[e.Call.ID] = *e.Call
		}
	case event.Granted, event.Refused:
		l.answered(e)
	case event.Replied:
		l.replied(e)
	case event.SubAgentStarted:
		l.agents = put(l.agents, note{e.Seq, e.Child, e.Call.Name + " works on " + l.about(e.Call)})
	case event.SubAgentStopped:
		if e.Stop != event.Waiting {
			l.agents = slices.DeleteFunc(l.agents, func(n note) bool { return n.key == e.Child })
		}
	case event.Rewound:
		l.rewind(e.At)
	}
}

// put replaces the note with the same key, or adds one. The newest is the last.
func put(all []note, n note) []note {
	all = slices.DeleteFunc(all, func(old note) bool { return old.key == n.key })
	return append(all, n)
}

// about describes a call in a line.
func (l *compactionLedger) about(c *tool.Call) string {
	return shorten(oneLine(string(l.calls[c.ID].Args)), subject)
}

// answered notes a denial, and an approval that came with words.
func (l *compactionLedger) answered(e event.Event) {
	if e.Call == nil || e.Answer == nil || e.Kind == event.Granted && e.Answer.Words == "" {
		return
	}
	text := "approved: "
	if e.Kind == event.Refused {
		text = "denied, do not try it again: "
	}
	text += e.Call.Name + " " + l.about(e.Call)
	if e.Answer.Words != "" {
		text += " (the user: " + e.Answer.Words + ")"
	}
	l.answers = put(l.answers, note{e.Seq, text, text})
}

func (l *compactionLedger) replied(e event.Event) {
	if e.Call == nil || e.Result == nil {
		return
	}
	r := *e.Result
	if r.Failed && r.Kind != tool.Denied && r.Kind != tool.Unapproved {
		first, _, _ := strings.Cut(strings.TrimSpace(r.Text), "\n")
		text := e.Call.Name + " " + l.about(e.Call) + ": " + shorten(first, subject)
		l.failures = put(l.failures, note{e.Seq, text, text})
		l.failures = l.failures[max(0, len(l.failures)-mostFailures):]
	}
	if l.Read != nil {
		l.take(e.Seq, l.Read(r), e.Call)
	}
	delete(l.calls, e.Call.ID)
}

func (l *compactionLedger) take(seq int64, f CompactionFacts, c *tool.Call) {
	if f.Plan != nil {
		l.plans = append(l.plans, note{seq: seq, text: strings.Join(f.Plan, "\n")})
	}
	for _, file := range f.Files {
		l.files = put(l.files, note{seq, file.Path, file.Path + ": " + file.State + " by " + c.Name + ` (recall {"call": "` + c.ID + `"})`})
		if file.Gone {
			l.files = l.files[:len(l.files)-1]
		}
	}
	for _, job := range f.Jobs {
		old := slices.IndexFunc(l.jobs, func(n note) bool { return n.key == job.ID })
		command := job.Command
		if command == "" {
			command = l.about(c)
		}
		switch {
		case !job.Running:
			l.jobs = slices.DeleteFunc(l.jobs, func(n note) bool { return n.key == job.ID })
		case old < 0:
			l.jobs = append(l.jobs, note{seq, job.ID, job.ID + ": " + command})
		}
	}
}

// rewind forgets what came after the user went back to before a message. Files and jobs stay: they are as they are.
func (l *compactionLedger) rewind(at int64) {
	after := func(n note) bool { return n.seq >= at }
	for _, list := range []*[]note{&l.prompts, &l.answers, &l.failures, &l.plans, &l.agents} {
		*list = slices.DeleteFunc(*list, after)
	}
}
