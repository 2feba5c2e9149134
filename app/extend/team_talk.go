package extend

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"rein/agent"
	"rein/event"
	"rein/tool"
)

type nameArgs struct {
	ID string `json:"id" jsonschema:"id or name of the sub-agent"`
}

type waitArgs struct {
	IDs     []string `json:"ids,omitempty" jsonschema:"ids or names; default: all background sub-agents"`
	Timeout int      `json:"timeout,omitempty" jsonschema:"seconds" minimum:"1" maximum:"600" default:"120"`
}

type messageArgs struct {
	ID      string `json:"id" jsonschema:"id or name of the sub-agent"`
	Message string `json:"message"`
}

const (
	usualWait   = 120 * time.Second
	longestWait = 600 * time.Second
)

// stateWords returns the state of a sub-agent in one word.
func stateWords(st agent.SubAgentState) string {
	switch {
	case st.Working:
		return "is working"
	case st.Stop == event.Waiting:
		return "waits for an approval of the user"
	case st.Stop == "":
		return "was interrupted"
	case st.Failed():
		return "stopped: " + string(st.Stop)
	}
	return "has finished"
}

func stateLine(st agent.SubAgentState) string {
	used := ""
	if n := st.Usage.Input + st.Usage.Output; n > 0 {
		used = fmt.Sprintf(", %d tokens", n)
	}
	return fmt.Sprintf("%s  %s: %s%s", st.ID, describeTask(st.SubAgent), stateWords(st), used)
}

func listAgents(s *agent.Session, r *tool.Reply) error {
	all := s.SubAgents().List()
	if len(all) == 0 {
		fmt.Fprintln(r, "No sub-agent was started in this session.")
	}
	for _, st := range all {
		fmt.Fprintln(r, stateLine(st))
	}
	return nil
}

// recentCalls is how many of the last calls of a sub-agent its status shows.
const recentCalls = 5

func showStatus(s *agent.Session, name string, r *tool.Reply) error {
	now, cancel := context.WithCancel(context.Background())
	cancel()
	found, err := s.SubAgents().Await(now, []string{name})
	if err != nil {
		return err
	}
	st := found[0]
	fmt.Fprintln(r, stateLine(st))
	if !st.Working && st.Stop != "" && st.Stop != event.Waiting {
		fmt.Fprintf(r, "\n%s\n", st.Text)
		s.SubAgents().Reported(r, st.ID)
		return nil
	}
	var calls []string
	for e, err := range s.SubAgents().Events(st.ID) {
		if err == nil && e.Kind == event.Called && e.Call != nil {
			calls = append(calls, e.Call.Name+" "+shortItem(string(e.Call.Args)))
		}
	}
	for _, call := range calls[max(len(calls)-recentCalls, 0):] {
		fmt.Fprintln(r, "  called", call)
	}
	return nil
}

func waitForAgents(ctx context.Context, s *agent.Session, in waitArgs, r *tool.Reply) error {
	limit := cmp.Or(min(time.Duration(in.Timeout)*time.Second, longestWait), usualWait)
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	all, err := s.SubAgents().Await(bounded, in.IDs)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if len(all) == 0 {
		fmt.Fprintln(r, "No background sub-agent has anything to report.")
	}
	var heard []string
	for _, st := range all {
		if st.Working || st.Stop == "" || st.Stop == event.Waiting {
			fmt.Fprintln(r, stateLine(st))
			continue
		}
		fmt.Fprintf(r, "%s\n%s\n\n", st.Heading(), strings.TrimSpace(st.Text))
		heard = append(heard, st.ID)
	}
	s.SubAgents().Reported(r, heard...)
	return nil
}

func messageAgent(s *agent.Session, in messageArgs, r *tool.Reply) error {
	if strings.TrimSpace(in.Message) == "" {
		return &tool.Error{Kind: tool.BadArguments, Text: "The message is empty."}
	}
	id, begun, err := s.SubAgents().Tell(r.Call(), in.ID, in.Message)
	if err != nil {
		return err
	}
	if begun {
		fmt.Fprintf(r, "The sub-agent %s continues in the background: its next report comes as a message.\n", id)
	} else {
		fmt.Fprintf(r, "The sub-agent %s is working and reads the message at its next step.\n", id)
	}
	return nil
}

func stopAgent(ctx context.Context, s *agent.Session, name string, r *tool.Reply) error {
	report, err := s.SubAgents().Stop(ctx, name)
	if err != nil {
		return err
	}
	fmt.Fprintf(r, "%s\n%s\n", report.Heading(), report.Text)
	s.SubAgents().Reported(r, report.ID)
	return nil
}
