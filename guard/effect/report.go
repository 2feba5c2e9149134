package effect

import "slices"

// MostNoted is how many names of each kind a report has.
const MostNoted = 200

// Finding is one effect and why it has its class.
type Finding struct {
	Class Class
	// Why describes in a few words what the effect is.
	Why string
	// Program is the program that has the effect, "" where the shell itself does.
	Program string
	// Start and End are the byte range in the command line of the simple command that has the effect; both 0 where
	// the text as a whole is meant.
	Start, End int
}

// Discard is what git would throw away.
type Discard uint8

// What is not committed: changes of files that git knows, and files that it does not know.
const (
	Changes Discard = 1 << iota
	Untracked
)

// Report is what a command line would do.
type Report struct {
	// Findings are the effects in the order in which they were met, without repetitions.
	Findings []Finding
	// Reads, Writes and Removes are absolute paths, with "…" and wildcards where they are not known; Hosts are names;
	// Programs are what is run, as spelled. All are without repetitions, in the order of the text.
	Reads, Writes, Removes, Hosts, Programs []string
	// Contacts are the network addresses of Hosts, as far as the text contains them.
	Contacts []Contact
	// Simple is set where the line is one simple command, all of it literal: no operator, redirection, assignment,
	// substitution or wildcard in the words of the program. Only such lines fit a prefix rule.
	Simple []string
	// Parts are the simple commands that the line is made of, spelled as words.
	Parts []Part
	// Commands are all commands that would run, wrappers taken off, in the order in which they were met: for
	// "sudo rm x | tee y" these are sudo rm x, rm x and tee y.
	Commands [][]string
	// Wild are the directories in which wildcards match names without a directory before them.
	Wild []string
	// Git are the directories in which git runs.
	Git []string
	// Discards describes what would be discarded without naming the files.
	Discards Discard
	// Fault is set where reading failed by a fault of this package; the report then has an Unparsed finding.
	Fault string

	seen  map[Finding]bool // the findings, once there are many
	parts map[[2]int]int   // index of the first part with a byte range, once there are many
}

// fewEntries is the length up to which a list is searched from its start; longer ones have an index.
const fewEntries = 16

// Part is one simple command of a line.
type Part struct {
	// Words are its words after expansion; unknown text is "…".
	Words []string
	// Class is the worst of its effects.
	Class Class
	// Literal is true where the words are spelled out: no variables, substitutions, wildcards, assignments, input of a pipe or
	// redirections but 2>&1 and those of /dev/null, and the program's name is plain.
	Literal bool
	// Start and End are its byte range in the line.
	Start, End int
}

// Class is the worst class of the report; a report without findings only reads.
func (r *Report) Class() Class {
	worst := Read
	for _, f := range r.Findings {
		worst = max(worst, f.Class)
	}
	return worst
}

// ChangesNothing reports whether the command writes and removes no file, and steers no processes but its own.
func (r *Report) ChangesNothing() bool {
	return r.Class() <= Own && len(r.Writes)+len(r.Removes) == 0
}

// Add appends a finding unless the report has it already.
func (r *Report) Add(f Finding) {
	if len(r.Findings) < fewEntries {
		if !slices.Contains(r.Findings, f) {
			r.Findings = append(r.Findings, f)
		}
		return
	}
	if r.seen == nil {
		r.seen = make(map[Finding]bool, 2*fewEntries)
		for _, have := range r.Findings {
			r.seen[have] = true
		}
	}
	if !r.seen[f] {
		r.seen[f] = true
		r.Findings = append(r.Findings, f)
	}
}

// PartOf returns the simple command that has the effect, or nil where the text as a whole has it.
func (r *Report) PartOf(f Finding) *Part {
	if f.End <= 0 {
		return nil
	}
	if r.parts != nil {
		if i, ok := r.parts[[2]int{f.Start, f.End}]; ok {
			return &r.Parts[i]
		}
		return nil
	}
	for i := range r.Parts {
		if r.Parts[i].Start == f.Start && r.Parts[i].End == f.End {
			return &r.Parts[i]
		}
	}
	return nil
}

// Clone returns a copy that shares nothing with the report that another package could change; nil for nil.
func (r *Report) Clone() *Report {
	if r == nil {
		return nil
	}
	c := *r
	c.seen = nil // Add makes it again
	c.Findings, c.Contacts, c.Parts, c.Commands = slices.Clone(r.Findings), slices.Clone(r.Contacts), slices.Clone(r.Parts), slices.Clone(r.Commands)
	for _, list := range []*[]string{&c.Reads, &c.Writes, &c.Removes, &c.Hosts, &c.Programs, &c.Simple, &c.Wild, &c.Git} {
		*list = slices.Clone(*list)
	}
	words := 0
	for i := range c.Parts {
		words += len(c.Parts[i].Words)
	}
	for i := range c.Commands {
		words += len(c.Commands[i])
	}
	room := make([]string, 0, words) // of all lists of words: a line may have thousands of commands
	for i := range c.Parts {
		c.Parts[i].Words, room = into(room, c.Parts[i].Words)
	}
	for i := range c.Commands {
		c.Commands[i], room = into(room, c.Commands[i])
	}
	return &c
}

// into copies a list behind what is in room, which has space for it.
func into(room, list []string) (own, left []string) {
	if list == nil {
		return nil, room
	}
	from := len(room)
	room = append(room, list...)
	return room[from:len(room):len(room)], room
}

// Index prepares PartOf for a report with many parts, and drops what only Add needs.
func (r *Report) Index() {
	r.seen = nil
	if len(r.Parts) < fewEntries {
		return
	}
	r.parts = make(map[[2]int]int, len(r.Parts))
	for i := len(r.Parts) - 1; i >= 0; i-- {
		r.parts[[2]int{r.Parts[i].Start, r.Parts[i].End}] = i
	}
}
