package harness

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"rein/event"
	"rein/tool"
)

// pastJobs are the background jobs of which a session's journal says that they run. They ended with the process that recorded them; the model
// is told so when the next one begins to work.
type pastJobs struct {
	commands map[string]string // by call
	running  []pastJob
}

type pastJob struct{ id, command string }

// seeing passes the events of the journal on.
func (p *pastJobs) seeing(events iter.Seq2[event.Event, error]) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		for e, err := range events {
			p.see(e)
			if !yield(e, err) {
				return
			}
		}
	}
}

// see takes an event of the journal.
func (p *pastJobs) see(e event.Event) {
	switch {
	case e.Kind == event.Started:
		*p = pastJobs{}
	case e.Kind == event.Called && e.Call != nil:
		var args struct{ Command string }
		if json.Unmarshal(e.Call.Args, &args) == nil && args.Command != "" {
			if p.commands == nil {
				p.commands = map[string]string{}
			}
			p.commands[e.Call.ID] = args.Command
		}
	case e.Kind == event.Replied && e.Result != nil:
		command := p.commands[e.Result.ID]
		delete(p.commands, e.Result.ID)
		c := tool.ParseDetail(e.Result.Detail).Command
		if c == nil || c.Job == "" {
			return
		}
		at := slices.IndexFunc(p.running, func(j pastJob) bool { return j.id == c.Job })
		switch {
		case at < 0 && c.Running:
			p.running = append(p.running, pastJob{c.Job, excerptAround(command, 0, 0)})
		case at >= 0 && !c.Running:
			p.running = slices.Delete(p.running, at, at+1)
		}
	}
}

// tell tells the user and the model which jobs run no more.
func (p *pastJobs) tell(s *Session) {
	var names []string
	for _, j := range p.running {
		s.h.options.Warn(fmt.Sprintf("%s ended with the program that ran it: %s", j.id, j.command))
		names = append(names, fmt.Sprintf("%s (%s)", j.id, j.command))
	}
	if len(names) > 0 {
		s.record.hint("", "The program ended since and was started again. These background jobs ended with it and do not run any more: "+strings.Join(names, ", ")+". Start again what is still needed.")
	}
}
