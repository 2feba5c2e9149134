package tool

import (
	"maps"
	"slices"
)

// Intent is what one call would do. Guards judge it, the user sees it, the pipeline orders calls by it, and the journal
// keeps it. The zero value does nothing and waits for no other call.
//
// An intent may list less than the tool can do at most, but it must list something for each Effect of the tool: where a
// tool writes, starts programs or uses the network and the intent lists nothing of that kind, the pipeline sets Unknown.
type Intent struct {
	Reads   []string `json:"reads,omitempty"`   // paths as the model gave them; a directory stands for all below it
	Writes  []string `json:"writes,omitempty"`  // likewise
	Command string   `json:"command,omitempty"` // a shell command, whole
	Cwd     string   `json:"cwd,omitempty"`     // where Command starts; "" is the workspace
	Hosts   []string `json:"hosts,omitempty"`   // host or host:port that it connects to

	// RequestsAccess means that the call asks for access to what is listed, for later programs and calls. It always needs
	// an approval, and the calls after it in the turn wait for it.
	RequestsAccess bool `json:"requests_access,omitempty"`

	// Questions are what the call asks the user; nil: nothing. It runs when the user has answered.
	Questions *Questions `json:"questions,omitempty"`

	// Surroundings is what the harness saw on disk where Command would run; nil where nothing matters.
	Surroundings *Surroundings `json:"surroundings,omitempty"`

	// Unknown means that the call may do more than is listed: it is ordered as if it wrote everywhere.
	Unknown bool `json:"unknown,omitempty"`
}

// Surroundings is what the harness saw on disk where a command would run, for guards, which do no I/O.
type Surroundings struct {
	// Dashed are absolute paths of files whose names begin with a dash, in the directories where the command has wildcards: the
	// program reads such a name as an option.
	Dashed []string `json:"dashed,omitempty"`
	// Git has the settings of the repository that make git run programs, and "hooks" where it has any.
	Git []string `json:"git,omitempty"`
	// Links has the paths of the command that go through a link, and what they lead to. All paths are absolute.
	Links map[string]string `json:"links,omitempty"`
	// Remotes has the addresses, host:port, of git's remotes that the command contacts by their names.
	Remotes []string `json:"remotes,omitempty"`
	// Fetches and Pushes have the directories of this machine that remotes of git are, by their names; "" is the one of the branch.
	Fetches map[string]string `json:"fetches,omitempty"`
	Pushes  map[string]string `json:"pushes,omitempty"`
}

// Reached returns the names and, for those that go through a link, what they lead to.
func (s *Surroundings) Reached(names []string) []string {
	if s == nil || len(s.Links) == 0 {
		return names
	}
	all := slices.Clone(names)
	for _, name := range names {
		if to := s.Links[name]; to != "" {
			all = append(all, to)
		}
	}
	return all
}

// IsZero reports whether the intent does nothing.
func (i Intent) IsZero() bool {
	return len(i.Reads) == 0 && len(i.Writes) == 0 && i.Command == "" && len(i.Hosts) == 0 && !i.RequestsAccess && i.Questions == nil && !i.Unknown
}

// Clone returns a copy that shares nothing with the intent.
func (i Intent) Clone() Intent {
	for _, list := range []*[]string{&i.Reads, &i.Writes, &i.Hosts} {
		*list = slices.Clone(*list)
	}
	if i.Questions != nil {
		q := *i.Questions
		q.List = slices.Clone(q.List)
		for k := range q.List {
			q.List[k].Choices = slices.Clone(q.List[k].Choices)
			if given := q.List[k].Given; given != nil {
				q.List[k].Given = &Answer{slices.Clone(given.Choices), given.Text}
			}
		}
		i.Questions = &q
	}
	if i.Surroundings != nil {
		s := *i.Surroundings
		for _, list := range []*[]string{&s.Dashed, &s.Git, &s.Remotes} {
			*list = slices.Clone(*list)
		}
		s.Links, s.Fetches, s.Pushes = maps.Clone(s.Links), maps.Clone(s.Fetches), maps.Clone(s.Pushes)
		i.Surroundings = &s
	}
	return i
}
