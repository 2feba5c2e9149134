package main

import (
	"fmt"
	"rein/harness"
	"rein/harness/settings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// options are the flags that every command takes which runs calls.
type options struct {
	dir      string
	addDirs  []string
	mode     string
	allow    []string
	ask      []string
	deny     []string
	sandbox  string
	backend  string
	yolo     bool
	parallel positive
	timeout  settings.Duration
	single   bool // one call and no more: nothing can be left in the background
}

func (o *options) add(flags *pflag.FlagSet) {
	flags.StringVarP(&o.dir, "cwd", "C", ".", "work in this directory")
	flags.StringSliceVar(&o.addDirs, "add-dir", nil, "another directory whose files may be touched (repeat)")
	flags.StringVar(&o.mode, "mode", "", "what may run unasked: read-only, plan, supervised, full (default supervised)")
	flags.StringArrayVar(&o.allow, "allow", nil, "a rule for what may run unasked, such as 'bash(go test:*)' (repeat)")
	flags.StringArrayVar(&o.ask, "ask", nil, "a rule for what must be asked (repeat)")
	flags.StringArrayVar(&o.deny, "deny", nil, "a rule for what must not run (repeat)")
	flags.StringVar(&o.sandbox, "sandbox", "", "walls around programs: required, auto, off (default auto)")
	flags.StringVar(&o.backend, "sandbox-backend", "", backendUsage)
	flags.BoolVar(&o.yolo, "yolo", false, "the same as --mode full; hard stops and walls stay")
	flags.Var(&o.parallel, "parallel", "calls that run at once (default 8)")
	flags.Var(&o.timeout, "timeout", "limit of one call (default 60s; a tool may have its own)")
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if other, ok := flagAliases[name]; ok {
			name = other
		}
		return pflag.NormalizedName(name)
	})
}

const backendUsage = "use this rung of the walls and no other: namespaces, bubblewrap, landlock, none (default the best that works)"

// flagAliases are the names that other harnesses gave the same flags.
var flagAliases = map[string]string{
	"cd":                           "cwd",
	"permission-mode":              "mode",
	"approval-mode":                "mode",
	"allowedTools":                 "allow",
	"allowed-tools":                "allow",
	"disallowedTools":              "deny",
	"disallowed-tools":             "deny",
	"dangerously-skip-permissions": "yolo",
	"dangerously-bypass-approvals-and-sandbox": "yolo",
}

// harness gives the options as the harness takes them.
func (o *options) harness(cmd *cobra.Command, person harness.Person) harness.Options {
	mode := o.mode
	if mode == "" && o.yolo {
		mode = "full"
	}
	return harness.Options{
		Dir: o.dir, AddDirs: o.addDirs, Mode: mode, Allow: o.allow, Ask: o.ask, Deny: o.deny, Sandbox: o.sandbox, Backend: o.backend,
		Parallel: int(o.parallel), Timeout: o.timeout, OneCall: o.single, Person: person, Version: version,
		Warn: func(line string) { fmt.Fprintln(cmd.ErrOrStderr(), "rein: warning:", line) },
	}
}
