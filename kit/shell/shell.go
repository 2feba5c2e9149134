// Package shell judges a command line before it runs: it reads bash as bash does, computes what is known of its words, and
// reports what the programs in it would read, write, remove, run and contact. It runs nothing.
package shell

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"rein/guard/effect"
)

// Limits of a text that is read. What goes beyond them is not read in part: it is Unparsed as a whole.
const (
	MaxBytes  = maxBytes  // bytes of one command line
	maxWraps  = 40        // programs that run programs
	maxDepth  = 48        // shells within shells, substitutions within substitutions
	maxSteps  = 20000     // simple commands looked at, loops unrolled
	workShift = 5         // 32 entries that are copied with a scope or an array cost as much as a command
	maxInner  = 256 << 10 // bytes of text for shells within shells, together

	maxListed  = 20000 // words out of "$@" and arrays
	maxOptions = 20000 // names looked at that wildcards may turn into options
)

// Analyze reads a command line. It never fails: what it does not understand is a finding.
func Analyze(text string, c Context) (report *effect.Report) {
	r := newReader(c)
	defer func() {
		if p := recover(); p != nil {
			report = &effect.Report{Fault: fmt.Sprint(p), Findings: []effect.Finding{{Class: effect.Unparsed, Why: "the guard failed on it"}}}
		}
	}()
	if !r.CheckBytes(text) {
		return r.Report
	}
	file := r.parse(strings.ReplaceAll(text, "\r\n", " \n"))
	if file == nil {
		return r.Report
	}
	r.top = true
	sc := r.NewScope()
	r.stmts(sc, file.Stmts, data{Taint: fromInput})
	r.locals = append(r.locals, locals{})
	for _, body := range r.defined {
		r.stmt(sc, body, &data{Taint: fromInput})
	}
	r.locals = nil
	r.runTraps()
	r.SettleCleaning()
	r.finish(file)
	r.Report.Index()
	return r.Report
}

// reader is one reading of one command line: what the shell does with it.
type reader struct {
	*programs
	scripts scripts

	top     bool // positions are those of the line itself, not of a text within it
	steps   int
	words   int // words out of "$@" and arrays
	options int // names that wildcards may turn into options, looked at
	depth   int
	inner   int // bytes of text for shells within shells
	shell   int // depth at which the innermost shell began
	wraps   int
	joined  int                   // pipes, loops, subshells and substitutions around the current statement
	calls   []*syntax.Stmt        // functions at hand, outermost first
	forks   map[*syntax.Stmt]bool // functions that start processes beside themselves

	swaps   bool // descriptors other than standard output were redirected to one another
	sourced bool // a file that is not known was read into the shell: it may define any name

	locals  []locals       // variables of the current functions
	traps   []trap         // what is to run at the end
	defined []*syntax.Stmt // functions that nobody called yet
}

func newReader(c Context) *reader {
	r := &reader{}
	r.programs = &programs{judging: &judging{Ctx: c, Report: &effect.Report{}}, Table: programTable(), Shell: r}
	r.scripts = scripts{judging: r.judging, Shell: r}
	return r
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
		r.Part = effect.Read
		r.here(t.scope, t.text, t.scope.Args)
		if r.Part > effect.Delete {
			r.Found(effect.Dynamic, "sets a trap that runs %s later", t.text.Shown())
		}
	}
}

// parse reads bash; nil where the text is not bash, which is a finding.
func (r *reader) parse(text string) *syntax.File {
	if tooNested(text) {
		r.Found(effect.Unparsed, "brackets nested too deep")
		return nil
	}
	comments := strings.Contains(text, "#")
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(comments)).Parse(strings.NewReader(text), "")
	if err != nil {
		r.Found(effect.Unparsed, "not valid bash: %v", err)
		return nil
	}
	if comments && falseComment(file, text) {
		r.Found(effect.Obfuscated, "contains a # that bash does not treat as the start of a comment")
	}
	return file
}

// finish sets Simple where the whole line is one literal simple command.
func (r *reader) finish(file *syntax.File) {
	if len(file.Stmts) != 1 || len(r.Report.Parts) != 1 || !r.Report.Parts[0].Literal {
		return
	}
	s := file.Stmts[0]
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || s.Background || s.Negated || s.Coprocess || len(s.Redirs) > 0 || len(call.Assigns) > 0 {
		return
	}
	r.Report.Simple = r.Report.Parts[0].Words
}

// tired reports whether the line is too much work to follow.
func (r *reader) tired() bool { return r.steps+r.Work>>workShift > maxSteps }

// Depth is how many shells and substitutions are around the current command.
func (r *reader) Depth() int { return r.depth }
