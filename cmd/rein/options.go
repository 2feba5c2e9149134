package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rein/harness"
	"rein/harness/settings"
	"rein/sandbox"
)

// options are the flags of the commands that run calls.
type options struct {
	dir      string
	addDirs  []string
	mode     string
	allow    []string
	ask      []string
	deny     []string
	sandbox  string
	backend  backend
	yolo     bool
	parallel positive
	timeout  settings.Duration
	single   bool // one call and no more: nothing can be left in the background
}

func (o *options) add(flags *pflag.FlagSet) {
	flags.StringVarP(&o.dir, "cwd", "C", ".", "work in this directory")
	flags.StringSliceVar(&o.addDirs, "add-dir", nil, "another directory that the tools and programs may write (repeat)")
	flags.StringVar(&o.mode, "mode", "", "what may run without approval: read-only, plan, supervised or full (default supervised)")
	flags.StringArrayVar(&o.allow, "allow", nil, "a rule for calls that need no approval, such as 'bash(go test:*)' (repeat)")
	flags.StringArrayVar(&o.ask, "ask", nil, "a rule for calls that need approval (repeat)")
	flags.StringArrayVar(&o.deny, "deny", nil, "a rule for calls that are denied (repeat)")
	flags.StringVar(&o.sandbox, "sandbox", "", "isolation of programs by the operating system: required, auto or off (default auto)")
	flags.Var(&o.backend, "sandbox-backend", backendUsage)
	flags.BoolVar(&o.yolo, "yolo", false, "the same as --mode full: the sandbox stays on, and what is always denied stays denied")
	flags.Var(&o.parallel, "parallel", "how many calls run at once (default 8)")
	flags.Var(&o.timeout, "timeout", "time limit of one call, of every tool (default 60s, or what the tool sets)")
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if other, ok := flagAliases[name]; ok {
			name = other
		}
		return pflag.NormalizedName(name)
	})
}

// backend is the name of a sandbox backend.
type backend string

// Set takes the name from a flag, if there is such a backend.
func (b *backend) Set(name string) error {
	if _, err := sandbox.ParseBackend(name); err != nil {
		return errors.New("want namespaces, bubblewrap, landlock, seatbelt or none")
	}
	*b = backend(name)
	return nil
}

// String gives the name.
func (b *backend) String() string { return string(*b) }

// Type names what the flag takes.
func (b *backend) Type() string { return "string" }

const backendUsage = "the only sandbox backend to use: namespaces, bubblewrap, landlock, seatbelt or none (default the best that works)"

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
		Dir: o.dir, AddDirs: o.addDirs, Mode: mode, Allow: o.allow, Ask: o.ask, Deny: o.deny, Sandbox: o.sandbox, Backend: string(o.backend),
		Parallel: int(o.parallel), Timeout: o.timeout, OneCall: o.single, Person: person, Version: version,
		Warn: func(line string) { fmt.Fprintln(cmd.ErrOrStderr(), "rein: warning:", line) },
	}
}
