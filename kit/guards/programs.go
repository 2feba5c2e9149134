package guards

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"rein/guard"
	"rein/guard/effect"
	"rein/kit/places"
	"rein/kit/shell"
)

// Here describes where things are on this machine, for all guards that judge paths. The zero value knows only the workspace of
// the case.
type Here struct {
	Home     string   // the user's home directory
	User     string   // the user's name
	Dirs     []string // further directories that belong to the workspace, absolute
	Temp     []string // temporary directories besides /tmp
	Settings []string // directories and files of rein outside the workspace
	Self     []string // names of the harness's program; empty means "rein"
	// Opened returns the paths that the user has granted access to: for writing, and for reading only. Nil: none.
	Opened func() (write, read []string)
	// Protected returns further files and directories of the workspace that later programs run or obey, such as a directory
	// of hooks that git's settings name. Nil: none but those that the table of places knows.
	Protected func() []string
}

// Places returns the context of a case for the table of places.
func (h Here) Places(c guard.Case) places.Context {
	at := places.Context{
		Dir: join(c.Root, c.Intent.Cwd), Workspaces: append([]string{c.Root}, h.Dirs...), Home: h.Home, Temp: h.Temp, Settings: h.Settings,
	}
	if h.Opened != nil {
		at.Opened, at.Shown = h.Opened()
	}
	if h.Protected != nil {
		at.Protected = h.Protected()
	}
	at.Home = places.Slash(at.Home)
	for _, all := range []*[]string{&at.Workspaces, &at.Temp, &at.Settings, &at.Opened, &at.Shown, &at.Protected} {
		*all = places.SlashAll(*all)
	}
	return at
}

// join makes a directory absolute: dir may be relative to root, absolute, or empty.
func join(root, dir string) string {
	return places.Context{Dir: root}.Abs(dir)
}

// Programs is the guard of command lines: it reads what a command would do, and the table of the mode decides.
//
// A value made by NewPrograms remembers its last few reports, so that a command is parsed once however many guards,
// approvers and observers read it. Programs{Here: …} remembers none.
type Programs struct {
	Here Here
	// Reached reports whether programs in the sandbox reach a host:port with all that they send, so that a command which contacts it by its name needs
	// no approval for that. Nil: none.
	Reached func(address string) bool

	recent *recentReports
}

// NewPrograms returns the guard of command lines for a machine.
func NewPrograms(h Here) Programs { return Programs{Here: h, recent: &recentReports{}} }

// Judge judges the command of the intent.
func (p Programs) Judge(_ context.Context, c guard.Case) guard.Verdict {
	if c.Intent.Command == "" {
		return guard.Verdict{}
	}
	r := p.Read(c)
	if p.Reached != nil && c.Mode >= guard.Supervised && c.Isolation == guard.FullIsolation {
		r = p.withoutReached(r, c)
	}
	return VerdictOf(r, c.Mode, c.Isolation)
}

// withoutReached is a report without the contacts of hosts that programs reach anyway. What git contacts are all addresses of the command.
func (p Programs) withoutReached(r *effect.Report, c guard.Case) *effect.Report {
	if !slices.ContainsFunc(r.Findings, func(f effect.Finding) bool { return f.Class == effect.Network }) {
		return r
	}
	contacts, _ := p.Contacts(c)
	reached := func(f effect.Finding) bool {
		host, ok := strings.CutPrefix(f.Why, "contacts ")
		all := f.Program == "git" && f.Why == effect.Network.Why()
		named := false
		for _, x := range contacts {
			if x.Host == host || all {
				named = true
				ok = ok && x.Port != 0 && p.Reached(effect.Contact{Host: x.Host, Port: x.Port}.String())
			}
		}
		return ok && named && f.Class == effect.Network
	}
	if !slices.ContainsFunc(r.Findings, reached) {
		return r
	}
	less := *r
	less.Findings = slices.DeleteFunc(slices.Clone(r.Findings), reached)
	return &less
}

// Prepare sets the report of a case that has a command and no report yet.
func (p Programs) Prepare(c guard.Case) guard.Case {
	if c.Intent.Command != "" {
		c.Report = p.Read(c)
	}
	return c
}

// Read returns the report of the case, or makes it: what the command would do. The report is shared; do not change it.
func (p Programs) Read(c guard.Case) *effect.Report {
	if c.Report != nil {
		return c.Report
	}
	ctx := shell.Context{Context: p.Here.Places(c), User: p.Here.User, Self: p.Here.Self}
	if s := c.Intent.Surroundings; s != nil {
		ctx.Dashed, ctx.Git, ctx.Fetches, ctx.Pushes = s.Dashed, s.Git, s.Fetches, s.Pushes
	}
	if p.recent == nil {
		return shell.Analyze(c.Intent.Command, ctx)
	}
	return p.recent.read(c.Intent.Command, ctx)
}

// VerdictOf judges a report by a mode and an isolation. Its reasons are those of the most severe effects.
func VerdictOf(r *effect.Report, m guard.Mode, w guard.Isolation) guard.Verdict {
	v := guard.Verdict{Guard: "shell", Effects: effects(r)}
	v.Decision, v.Severity = Decide(effect.Read, m, w)
	var worst []effect.Finding
	for _, f := range r.Findings {
		d, s := Decide(f.Class, m, w)
		if d > v.Decision || d == v.Decision && s > v.Severity {
			v.Decision, v.Severity, worst = d, s, nil
		}
		if d == v.Decision && s == v.Severity {
			worst = append(worst, f)
		}
	}
	if v.Decision == guard.Allow {
		return v
	}
	explain(&v, worst, m)
	if r.Fault != "" {
		v.Rules = append(v.Rules, "guard.panic")
	}
	return v
}

// explain returns the reason: a few of the most severe effects, and what the model could do instead.
func explain(v *guard.Verdict, worst []effect.Finding, m guard.Mode) {
	seen, said := map[string]bool{}, map[string]bool{}
	for i, f := range worst {
		rule := "shell." + f.Class.String()
		if !seen[rule] {
			seen[rule] = true
			v.Rules = append(v.Rules, rule)
		}
		why := f.Why
		if f.Program != "" {
			why = f.Program + ": " + f.Why
		}
		if i >= 3 || said[why] {
			continue
		}
		said[why] = true
		if v.Reason != "" {
			v.Reason += "; "
		}
		v.Reason += why
	}
	if len(worst) > 3 {
		v.Reason += fmt.Sprintf("; and %d more", len(worst)-3)
	}
	if len(worst) > 0 {
		v.Hint = hint(worst[0].Class, m)
		if whole, _ := Decide(worst[0].Class, m, guard.FullIsolation); whole == guard.Allow && v.Decision == guard.Ask {
			v.Reason += ", and the sandbox that would confine it is not active here"
		}
	}
}

// hint suggests to the model what to send instead.
func hint(c effect.Class, m guard.Mode) string {
	switch m {
	case guard.ReadOnly:
		return "The mode is read-only: only read, and tell the user what you would change."
	case guard.Plan:
		return "The mode is plan: only read, and write what you would change into the plan file."
	}
	switch c {
	case effect.Unparsed:
		return "Send a shorter command, in plain bash, with all quotes closed."
	case effect.Dynamic, effect.Obfuscated:
		return "Write the program and its arguments literally."
	case effect.SecretRead, effect.Private:
		return "Continue without the credentials, or ask the user for the value that you need."
	case effect.OutsideWrite, effect.Destroy:
		return "Change only files in the workspace or in $TMPDIR."
	case effect.Privilege:
		return "Continue without these rights, or ask the user to run it."
	case effect.Foreign:
		return "This is not Windows: use the commands of a Unix system."
	}
	return ""
}

// effects describes a report in words.
func effects(r *effect.Report) []string {
	var out []string
	for _, group := range []struct {
		verb  string
		names []string
	}{{"reads", r.Reads}, {"writes", r.Writes}, {"removes", r.Removes}, {"contacts", r.Hosts}, {"runs", r.Programs}} {
		for _, n := range group.names {
			out = append(out, group.verb+" "+n)
		}
	}
	return out
}
