// Package shell reads a bash command line and reports what it would do, without doing it: what it would read, write, remove,
// contact and run, and how severe each effect is. It parses the line; it never matches text with patterns. It does no I/O.
package shell

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"rein/places"
)

// Limits of a text that is read. What goes beyond them is not read in part: it is Unparsed as a whole.
const (
	MaxBytes = 128 << 10 // bytes of one command line
	maxWraps = 40        // programs that run programs
	maxDepth = 48        // shells within shells, substitutions within substitutions
	maxNest  = 400       // brackets within brackets
	maxSteps = 20000     // simple commands looked at, loops unrolled

	maxListed  = 200000 // words out of "$@" and arrays
	maxOptions = 20000  // names looked at that wildcards may turn into options
)

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
	// Literal is true where the words are spelled out: no variables, substitutions, wildcards, assignments or
	// redirections, and the program's name is plain.
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

// Context describes where a command would run.
type Context struct {
	places.Context
	// User is the name of the user; empty means "user".
	User string
	// Self are program names of the harness; empty means "rein".
	Self []string
	// Dashed are absolute paths of files whose names begin with a dash: wildcards turn them into options.
	Dashed []string
	// Git names the settings of the repository at hand that make git run programs, and "hooks" where it has any.
	Git []string
}

// Analyze reads a command line. It never fails: what it does not understand is a finding.
func Analyze(text string, c Context) (report *Report) {
	r := &reader{ctx: c, table: programs(), report: &Report{}}
	defer func() {
		if p := recover(); p != nil {
			report = &Report{Fault: fmt.Sprint(p), Findings: []Finding{{Class: Unparsed, Why: "the guard failed on it"}}}
		}
	}()
	if !r.checkBytes(text) {
		return r.report
	}
	file := r.parse(strings.ReplaceAll(text, "\r\n", " \n"))
	if file == nil {
		return r.report
	}
	r.top = true
	sc := r.newScope()
	r.stmts(sc, file.Stmts, data{taint: fromInput})
	for _, body := range r.defined {
		r.stmt(sc, body, &data{taint: fromInput})
	}
	r.runTraps()
	r.finish(file)
	r.report.index()
	return r.report
}

// reader is one reading of one command line.
type reader struct {
	ctx     Context
	table   *table
	report  *Report
	top     bool // positions are those of the line itself, not of a text within it
	steps   int
	words   int // words out of "$@" and arrays
	options int // names that wildcards may turn into options, looked at
	depth   int
	shell   int // depth at which the innermost shell began
	wraps   int
	joined  int             // pipes, loops, subshells and substitutions around the statement at hand
	at      [2]int          // byte range of the simple command at hand
	who     string          // program at hand
	calls   []string        // functions at hand, outermost first
	forks   map[string]bool // functions that start processes beside themselves
	part    Class           // worst class of the part at hand
	wiped   bool            // a root was removed

	sourced bool // a file that is not known was read into the shell: it may define any name

	traps   []trap                  // what is to run at the end
	known   map[string]places.Class // paths that were classified
	defined []*syntax.Stmt          // functions that nobody called yet
}

// found notes an effect.
func (r *reader) found(c Class, why string, args ...any) {
	if c > r.part {
		r.part = c
	}
	if c == Read {
		return
	}
	r.report.add(Finding{Class: c, Why: fmt.Sprintf(why, args...), Program: r.who, Start: r.at[0], End: r.at[1]})
}

// add appends a finding unless the report has it already.
func (r *Report) add(f Finding) {
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

// index prepares PartOf for a report with many parts, and drops what only add needs.
func (r *Report) index() {
	r.seen = nil
	if len(r.Parts) < fewEntries {
		return
	}
	r.parts = make(map[[2]int]int, len(r.Parts))
	for i := len(r.Parts) - 1; i >= 0; i-- {
		r.parts[[2]int{r.Parts[i].Start, r.Parts[i].End}] = i
	}
}

// trap is text that runs later, in the shell that set it.
type trap struct {
	text  value
	scope *scope
}

// runTraps judges traps with what their shell knows at its end. Anything that would not run unasked asks as code
// that runs later.
func (r *reader) runTraps() {
	for i := 0; i < len(r.traps); i++ { // traps may set traps
		t := r.traps[i]
		r.part = Read
		r.text(t.scope, t.text, t.scope.args)
		if r.part > Delete {
			r.found(Dynamic, "sets a trap that runs %s later", t.text.shown())
		}
	}
}

// parse reads bash; nil where the text is not bash, which is a finding.
func (r *reader) parse(text string) *syntax.File {
	if tooNested(text) {
		r.found(Unparsed, "brackets nested too deep")
		return nil
	}
	comments := strings.Contains(text, "#")
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(comments)).Parse(strings.NewReader(text), "")
	if err != nil {
		r.found(Unparsed, "not valid bash: %v", err)
		return nil
	}
	if comments {
		r.checkComments(file, text)
	}
	return file
}

// checkComments looks for comments that bash does not take for one: after an array, as in a=(x)#; the word goes on, and
// what follows runs.
func (r *reader) checkComments(file *syntax.File, text string) {
	syntax.Walk(file, func(n syntax.Node) bool {
		c, ok := n.(*syntax.Comment)
		if !ok {
			return true
		}
		at := int(c.Hash.Offset())
		if at > 0 && at < len(text) && strings.IndexByte(" \t\n;&|(", text[at-1]) < 0 {
			r.found(Obfuscated, "contains a # that bash does not treat as the start of a comment")
		}
		return true
	})
}

// finish sets Simple where the whole line is one literal simple command.
func (r *reader) finish(file *syntax.File) {
	if len(file.Stmts) != 1 || len(r.report.Parts) != 1 || !r.report.Parts[0].Literal {
		return
	}
	s := file.Stmts[0]
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || s.Background || s.Negated || s.Coprocess || len(s.Redirs) > 0 || len(call.Assigns) > 0 {
		return
	}
	r.report.Simple = r.report.Parts[0].Words
}

func tooNested(text string) bool {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(', '{', '[', '`':
			depth++
		case ')', '}', ']':
			if depth > 0 {
				depth--
			}
		}
		if depth > maxNest {
			return true
		}
	}
	return false
}
