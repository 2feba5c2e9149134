// Package external gives a session sub-agents that are other programs: Claude Code, Codex, Gemini CLI, another rein. Each
// runs in a sandbox of its own, and what it asks for goes through the pipeline: see package model/external.
package external

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"rein/agent"
	"rein/agent/team"
	"rein/event"
	"rein/guard"
	"rein/harness/settings"
	"rein/model/external"
	"rein/sandbox"
	"rein/tool"
	"rein/workspace"
)

// Options say which agents there are, and what they may use. Nothing is started before a model gives an agent a task.
type Options struct {
	Agents    map[string]settings.ExternalAgent // by name
	Workspace *workspace.Workspace
	Sandbox   sandbox.Policy // of programs; each agent has its own, with the network and the places of its settings
	ReadOnly  func() bool    // programs may change nothing, now; nil: they may
	Deny      []string       // hosts that no agent may contact
	Version   string
	Log       func(agent, text string) // receives what agents write to standard error; nil drops it
}

// Agents are the external agents of a session.
type Agents struct {
	o          Options
	permission *tool.Tool

	mu      sync.Mutex
	models  map[string]*external.Model // of the sub-agents, by the ids of their sessions
	boxes   map[string]*sandbox.Box    // by name of the agent
	running sync.WaitGroup
}

// New prepares the agents.
func New(o Options) *Agents {
	if o.Log == nil {
		o.Log = func(string, string) {}
	}
	return &Agents{o: o, permission: external.Permission(), models: map[string]*external.Model{}, boxes: map[string]*sandbox.Box{}}
}

// Kinds gives the agents as kinds of sub-agents, sorted by name.
func (a *Agents) Kinds() []team.Kind {
	var all []team.Kind
	for _, name := range slices.Sorted(maps.Keys(a.o.Agents)) {
		all = append(all, kind{a, name})
	}
	return all
}

// kind is one agent.
type kind struct {
	agents *Agents
	name   string
}

// About implements team.Kind.
func (k kind) About() team.About {
	return team.About{Name: k.name, Description: cmp.Or(k.agents.o.Agents[k.name].Description, "another agent: the program "+k.agents.o.Agents[k.name].Command)}
}

// lent are the tools behind what an agent may ask its client for.
var lent = []string{"read_file", "write_file", "bash", "job_output", "job_kill", external.ActionTool}

// Narrow implements team.Kind.
func (k kind) Narrow(_ context.Context, _ *agent.Agent, id string, _ event.SubAgent) (agent.Narrowing, error) {
	a := k.agents
	a.mu.Lock()
	defer a.mu.Unlock()
	m := a.models[id]
	if m == nil {
		m = external.New(k.options())
		a.models[id] = m
	}
	return agent.Narrowing{Model: m, Tools: slices.Clone(lent), Mode: guard.Full, Done: func(event.Stop) string {
		a.mu.Lock()
		delete(a.models, id)
		a.mu.Unlock()
		if err := m.Close(); err != nil {
			a.o.Log(k.name, err.Error())
		}
		return ""
	}}, nil
}

// options are those of the model of one sub-agent.
func (k kind) options() external.Options {
	a, set := k.agents, k.agents.o.Agents[k.name]
	ws := a.o.Workspace
	return external.Options{
		Name: k.name, Dir: ws.Dir(), Version: a.o.Version,
		Action: external.Action{Agent: k.name, Title: "start the agent " + k.name, Command: external.Quoted(append([]string{set.Command}, set.Args...)),
			Writes: places(set.Write), Reads: places(set.Read), Hosts: set.Network, Unknown: set.Sandbox == "off"},
		Start: func(ctx context.Context) (io.ReadWriteCloser, error) { return a.start(ctx, k.name) },
		Read:  ws.ReadFile,
		Known: func(path string) {
			if v, err := ws.Load(path); err == nil {
				ws.Saw(v)
			}
		},
	}
}

// places gives paths of the settings as absolute ones.
func places(paths []string) (all []string) {
	for _, p := range paths {
		all = append(all, filepath.Clean(settings.UnderHome(p)))
	}
	return all
}

// environment gives the variables of an agent. ${NAME} in a value is a variable of this process.
func environment(set settings.ExternalAgent) (all []string) {
	for _, name := range slices.Sorted(maps.Keys(set.Env)) {
		all = append(all, name+"="+os.Expand(set.Env[name], func(v string) string {
			if strings.ContainsAny(v, "$*#@!?-0123456789") && len(v) == 1 {
				return "$" + v // no variable: a lone dollar
			}
			return os.Getenv(v)
		}))
	}
	return all
}

// Close ends all agents with everything that they started.
func (a *Agents) Close() error {
	a.mu.Lock()
	models, boxes := slices.Collect(maps.Values(a.models)), slices.Collect(maps.Values(a.boxes))
	clear(a.models)
	clear(a.boxes)
	a.mu.Unlock()
	var err error
	for _, m := range models {
		err = errors.Join(err, m.Close())
	}
	a.running.Wait()
	for _, b := range boxes {
		err = errors.Join(err, b.Close())
	}
	return err
}

// Tools gives no tools: no model sees the one that there is. It makes Agents a provider of tools that come and go.
func (a *Agents) Tools(context.Context) []*tool.Tool { return nil }

// Get gives the tool with which the agents ask for a permission.
func (a *Agents) Get(name string) *tool.Tool {
	if name == external.ActionTool {
		return a.permission
	}
	return nil
}

// Wait reports that no tools are to come.
func (a *Agents) Wait(context.Context) bool { return false }

// About gives no description: there are no tools to search for.
func (a *Agents) About() string { return "" }
