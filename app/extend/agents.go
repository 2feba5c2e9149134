package extend

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"sort"

	"rein/agent"

	"rein/model"
)

// AgentOptions say where definitions are read. The zero value gives those that are built in.
type AgentOptions struct {
	Given     []agent.Definition // of the command line or a program
	Folder    *Folder            // the work tree; nil: none of its definitions are read
	Workspace string             // in the folder: the directories from here up to the folder's are looked at
	User      []string           // directories of the user's own
	Trusted   bool               // the definitions of the work tree count whatever the user answered
}

// AgentFile is a definition, and what became of it.
type AgentFile struct {
	agent.Definition
	Problem   string   `json:"problem,omitempty"`   // why it cannot be used
	Notes     []string `json:"notes,omitempty"`     // what of the file is not used, and why
	HiddenBy  string   `json:"hidden_by,omitempty"` // the source of another definition of the same name, which counts instead
	Untrusted bool     `json:"untrusted,omitempty"` // the user does not trust the content of the file, so it does not count
}

// agentFolders are the directories of definitions in a work tree. The first one comes first.
func agentFolders() []string { return []string{".rein/agents", ".agents/agents", ".claude/agents"} }

// LoadAgents returns all definitions, in the order in which they count: the command line, the work tree from the workspace up, the
// user's directories, and those that are built in.
func LoadAgents(o AgentOptions) (all []AgentFile, err error) {
	for _, d := range o.Given {
		a := AgentFile{Definition: d}
		a.Source = cmp.Or(d.Source, "the program")
		if why := a.unusable(); why != "" {
			return nil, fmt.Errorf("a kind of sub-agent: %s", why)
		}
		all = append(all, a)
	}
	all = append(all, o.project()...)
	for _, dir := range o.User {
		all = append(all, readUserAgents(dir)...)
	}
	for _, d := range builtInAgents() {
		all = append(all, AgentFile{Definition: d})
	}
	first := map[string]string{}
	for i := range all {
		a := &all[i]
		if a.Untrusted || a.Problem != "" && !a.Broken() {
			continue
		}
		if by, ok := first[a.Name]; ok {
			a.HiddenBy = by
		} else {
			first[a.Name] = agentOrigin(a.Source)
		}
	}
	return all, nil
}

// Counts reports whether sessions have the agent.
func (a AgentFile) Counts() bool { return !a.Untrusted && a.HiddenBy == "" && a.Problem == "" }

// Broken reports whether the user trusts a file that is meant as a definition and cannot be used as one. No other definition of the name takes
// its place: it may have more rights.
func (a AgentFile) Broken() bool { return a.Problem != "" && a.Description != "" && !a.Untrusted }

// BrokenAgents says of those that are broken, a line for each, what is wrong.
func BrokenAgents(all []AgentFile) (lines []string) {
	for _, a := range all {
		if a.Broken() {
			lines = append(lines, fmt.Sprintf("the kind of sub-agent %s cannot be used: %s: %s", a.Name, a.Source, a.Problem))
		}
	}
	return lines
}

// AgentDefinitions returns those that count.
func AgentDefinitions(all []AgentFile) []agent.Definition {
	var count []agent.Definition
	for _, a := range all {
		if a.Counts() {
			count = append(count, a.Definition)
		}
	}
	return count
}

func agentOrigin(source string) string {
	if source == "" {
		return "built in"
	}
	return source
}

// project reads the definitions of the work tree.
func (o AgentOptions) project() (all []AgentFile) {
	if o.Folder == nil {
		return nil
	}
	at, err := filepath.Rel(o.Folder.Dir(), o.Workspace)
	if err != nil || !filepath.IsLocal(at) {
		at = "."
	}
	for at = filepath.ToSlash(at); ; at = path.Dir(at) {
		for _, folder := range agentFolders() {
			for _, name := range o.Folder.List(path.Join(at, folder), ".md") {
				text, err := o.Folder.Read(name)
				if err != nil {
					continue
				}
				a := parseAgent(name, string(text))
				a.Source = filepath.Join(o.Folder.Dir(), filepath.FromSlash(name))
				a.Untrusted = !o.Trusted && !o.Folder.Trusted(TrustAgent, name, text)
				all = append(all, a)
			}
		}
		if at == "." {
			return all
		}
	}
}

// mostUser bounds the definitions of one directory of the user's.
const mostUser = 500

// readUserAgents reads the definitions of a directory of the user's own, and of those below it.
func readUserAgents(dir string) (all []AgentFile) {
	EachFile(dir, ".md", mostUser, func(name string, text []byte) {
		a := parseAgent(name, string(text))
		a.Source = filepath.Join(dir, filepath.FromSlash(name))
		all = append(all, a)
	})
	return all
}

// jsonAgent is a definition in JSON, with the keys of Claude Code's --agents.
type jsonAgent struct {
	Description string          `json:"description"`
	Prompt      string          `json:"prompt"`
	Tools       []string        `json:"tools"`
	Disallowed  []string        `json:"disallowedTools"`
	Ask         []string        `json:"ask"`
	Model       string          `json:"model"`
	Effort      string          `json:"effort"`
	Sampling    json.RawMessage `json:"sampling"`
	Mode        string          `json:"mode"`
	Permission  string          `json:"permissionMode"`
	MaxTurns    int             `json:"maxTurns"`
	Budget      int64           `json:"budget"`
	Isolation   string          `json:"isolation"`
	Background  bool            `json:"background"`
	Skills      []string        `json:"skills"`
}

// ReadAgents reads definitions in JSON, those of the command line: {"NAME": {"description": …, "prompt": …}}. Notes say what of them is
// not used.
func ReadAgents(text string) (all []agent.Definition, notes []string, err error) {
	var by map[string]jsonAgent
	if err := json.Unmarshal([]byte(text), &by); err != nil {
		return nil, nil, fmt.Errorf("--agents: %w (expected {\"NAME\": {\"description\": …, \"prompt\": …}})", err)
	}
	for name, g := range by {
		a := AgentFile{Definition: agent.Definition{Prompt: g.Prompt, Model: g.Model, Effort: g.Effort, MaxTurns: g.MaxTurns, Skills: g.Skills, Source: "--agents"}}
		a.Name, a.Description, a.Background = name, g.Description, g.Background
		a.Budget, a.Ask = g.Budget, g.Ask
		if a.Sampling, err = model.ParseSampling(g.Sampling); err != nil {
			return nil, nil, fmt.Errorf("--agents: %s: sampling: %w", name, err)
		}
		a.setTools(g.Tools, g.Disallowed)
		a.setMode(g.Mode, g.Permission)
		a.setIsolation(g.Isolation)
		if a.Problem = a.unusable(); a.Problem != "" {
			return nil, nil, fmt.Errorf("--agents: %s: %s", name, a.Problem)
		}
		all = append(all, a.Definition)
		for _, note := range a.Notes {
			notes = append(notes, "--agents: "+name+": "+note)
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all, notes, nil
}
