package harness

// External agents are sub-agents of a session that are other programs: Claude Code, Codex, Gemini CLI, another rein. Each
// runs in a sandbox of its own, and what it asks for goes through the pipeline: see external_programs.go.

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"rein/app/settings"
	"rein/kit/sandbox"
	"rein/model"
)

// externalOptions say which agents there are, and what they may use. Nothing is started before a model gives an agent a task.
type externalOptions struct {
	Agents   map[string]settings.ExternalAgent // by name
	Dir      string                            // absolute path of the workspace
	Sandbox  sandbox.Policy                    // of programs; each agent has its own, with the network and the places of its settings
	ReadOnly func() bool                       // programs may change nothing, now
	Reach    func(agent string, hosts []string) (programReach, error)
	Trace    func(call string) []string        // variables with the trace that programs belong to
	Read     func(path string) ([]byte, error) // see options
	Known    func(path string)
	Version  string
	Add      func(name, description string, m model.Model, tools []string, done func(session string)) // receives each agent: see extend.OtherAgent
	Log      *slog.Logger                                                                             // receives what agents write to standard error; nil: nobody does
}

// externalAgents are the external agents of a session.
type externalAgents struct {
	o externalOptions

	mu     sync.Mutex
	models []*externalModel
	boxes  []*sandbox.Box
}

// newExternal prepares the agents, and adds them with externalOptions.Add.
func newExternal(o externalOptions) *externalAgents {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	a := &externalAgents{o: o}
	a.add()
	return a
}

func (a *externalAgents) log(agent, text string) {
	a.o.Log.Info("external agent", "agent", agent, "text", text)
}

// lentTools are the names of the tools behind what an agent may ask its client for: the only ones that its sub-agent needs.
func lentTools() []string {
	return []string{"read_file", "write_file", "bash", "job_output", "job_kill", actionTool}
}

// More returns the tool with which the agents ask for permissions. No model sees it. There is none where there are no agents.
func (a *externalAgents) More() []toolProvider {
	if len(a.o.Agents) == 0 {
		return nil
	}
	return []toolProvider{hiddenTools{externalPermission()}}
}

// add adds the agents, sorted by name.
func (a *externalAgents) add() {
	for _, name := range slices.Sorted(maps.Keys(a.o.Agents)) {
		set := a.o.Agents[name]
		p := &agentProgram{agents: a, name: name, set: set}
		m := newExternalModel(programOptions{
			Name: name, Dir: a.o.Dir, Version: a.o.Version, Start: p.start, Read: a.o.Read, Known: a.o.Known,
			Action: externalAction{Agent: name, Title: "start the agent " + name, Command: quoteWords(append([]string{set.Command}, set.Args...)),
				Writes: absolutePlaces(set.Write), Reads: absolutePlaces(set.Read), Hosts: set.Network, Unknown: set.Sandbox == "off"},
		})
		a.models = append(a.models, m)
		a.o.Add(name, cmp.Or(set.Description, "another agent: the program "+set.Command), m, lentTools(), func(session string) {
			if err := m.End(session); err != nil {
				a.log(name, err.Error())
			}
		})
	}
}

// absolutePlaces returns paths of the settings as absolute ones.
func absolutePlaces(paths []string) (all []string) {
	for _, p := range paths {
		all = append(all, filepath.Clean(settings.UnderHome(p)))
	}
	return all
}

// agentProgram starts one agent.
type agentProgram struct {
	agents *externalAgents
	name   string
	set    settings.ExternalAgent
	box    *sandbox.Box // made at the first start; guarded by agents.mu
}

func (p *agentProgram) start(ctx context.Context) (io.ReadWriteCloser, error) {
	box, err := p.sandbox()
	if err != nil {
		return nil, err
	}
	o := p.agents.o
	errs := &lineReader{give: func(text string) { p.agents.log(p.name, text) }}
	pipe, err := sandbox.StartStdio(ctx, box, sandbox.Spec{Argv: append([]string{p.set.Command}, p.set.Args...), Dir: o.Dir, Env: append(agentEnvironment(p.set), o.Trace("")...), ReadOnly: o.ReadOnly()}, errs)
	if err != nil {
		return nil, err
	}
	return sayingProgram{pipe, errs}, nil
}

// sayingProgram is a program with the last line that it wrote to standard error.
type sayingProgram struct {
	io.ReadWriteCloser
	errs *lineReader
}

// LastWords implements lastWordsSayer.
func (s sayingProgram) LastWords() string { return s.errs.lastLine() }

// agentEnvironment returns the variables of an agent. ${NAME} in a value is a variable of this process.
func agentEnvironment(set settings.ExternalAgent) (all []string) {
	for _, name := range slices.Sorted(maps.Keys(set.Env)) {
		all = append(all, name+"="+os.Expand(set.Env[name], os.Getenv))
	}
	return all
}

// sandbox returns the sandbox of the agent.
func (p *agentProgram) sandbox() (*sandbox.Box, error) {
	a := p.agents
	a.mu.Lock()
	defer a.mu.Unlock()
	if p.box != nil {
		return p.box, nil
	}
	policy := a.o.Sandbox
	if p.set.Sandbox == "off" {
		policy.Mode, policy.Only = sandbox.Off, ""
	}
	policy.Writable = append(slices.Clone(policy.Writable), absolutePlaces(p.set.Write)...)
	policy.Readable = append(slices.Clone(policy.Readable), absolutePlaces(p.set.Read)...)
	policy.Opened.Read = append(slices.Clone(policy.Opened.Read), absolutePlaces(p.set.Read)...)
	policy.Opened.Write = append(slices.Clone(policy.Opened.Write), absolutePlaces(p.set.Write)...)
	if policy.Private != "" {
		policy.Private = filepath.Join(policy.Private, "agent-"+p.name)
	}
	if len(p.set.Network) > 0 {
		reach, err := a.o.Reach(p.name, p.set.Network)
		if err != nil {
			return nil, fmt.Errorf("network: %w", err)
		}
		reach.open(&policy)
	}
	box, err := sandbox.New(policy)
	if err != nil {
		return nil, err
	}
	p.box = box
	a.boxes = append(a.boxes, box)
	return box, nil
}

// Close ends all agents with everything that they started.
func (a *externalAgents) Close() error {
	var err error
	for _, m := range a.models {
		err = errors.Join(err, m.Close())
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, b := range a.boxes {
		err = errors.Join(err, b.Close())
	}
	a.boxes = nil
	return err
}

// lineReader gives what is written to it line by line.
type lineReader struct {
	give func(string)
	rest []byte

	mu   sync.Mutex
	last string // that is not blank, and not a line of rein
}

// lastLine returns the last line that may name a cause; "": there was none.
func (l *lineReader) lastLine() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// mostAgentLine is the length in bytes at which a line is given in pieces.
const mostAgentLine = 4 << 10

// Write implements io.Writer.
func (l *lineReader) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	for {
		i := bytes.IndexByte(l.rest, '\n')
		if i < 0 && len(l.rest) < mostAgentLine {
			return len(p), nil
		}
		if i < 0 {
			i = mostAgentLine - 1
		}
		text := string(bytes.TrimRight(l.rest[:i+1], "\r\n"))
		l.rest = l.rest[i+1:]
		l.give(text)
		if strings.TrimSpace(text) != "" && !strings.HasPrefix(text, "rein: ") {
			l.mu.Lock()
			l.last = text
			l.mu.Unlock()
		}
	}
}
