package main

import (
	"errors"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rein/app/harness"
	"rein/app/settings"
	"rein/kit/sandbox"
)

// callFlags are the flags of the commands that run calls.
type callFlags struct {
	Dir      string
	addDirs  []string
	mode     string
	allow    []string
	ask      []string
	deny     []string
	only     []string
	sandbox  string
	Backend  backendName
	yolo     bool
	trust    bool
	mcp      []string
	mcpOnly  bool
	tools    []string
	parallel positiveNumber
	timeout  settings.Duration
	asked    string // the model of a session without a conversation
	Single   bool   // one call and no more: nothing can be left in the background
}

// Add registers the flags.
func (o *callFlags) Add(flags *pflag.FlagSet) {
	flags.StringVarP(&o.Dir, "cwd", "C", ".", "work in this directory")
	flags.StringSliceVar(&o.addDirs, "add-dir", nil, "another directory that the tools and programs may write (repeat)")
	flags.Var(modeFlag(&o.mode), "mode", "what may run without approval: read-only, plan, ask, supervised, auto or full (default supervised)")
	flags.StringArrayVar(&o.allow, "allow", nil, "a rule for calls that need no approval, such as 'bash(go test:*)' (repeat)")
	flags.StringArrayVar(&o.ask, "ask", nil, "a rule for calls that need approval (repeat)")
	flags.StringArrayVar(&o.deny, "deny", nil, "a rule for calls that are denied (repeat)")
	flags.StringArrayVar(&o.only, "only", nil, "a rule for the only calls that are allowed, such as 'bash(git status:*)'; every other call is denied without a question (repeat)")
	flags.Var(choiceFlag(&o.sandbox, "required", "auto", "off"), "sandbox", "isolation of programs by the operating system: required, auto or off (default auto)")
	flags.Var(&o.Backend, "sandbox-backend", backendUsage)
	flags.BoolVar(&o.yolo, "yolo", false, "the same as --mode full: the sandbox stays on, and what is always denied stays denied")
	flags.BoolVar(&o.trust, "trust", false, "trust the folder's instructions, skills, hooks and servers as they are now: see rein trust")
	flags.StringArrayVar(&o.mcp, "mcp-config", nil, "a file with tool servers (MCP), as .mcp.json (repeat)")
	flags.BoolVar(&o.mcpOnly, "strict-mcp-config", false, "use only the tool servers of --mcp-config")
	flags.StringSliceVar(&o.tools, "tools", nil, "the tools that the model gets, with wildcards, such as 'read_file,git_*'; -NAME leaves one out (repeat)")
	flags.Var(&o.parallel, "parallel", "how many calls run at once (default 8)")
	flags.Var(limitFlag(&o.timeout), "timeout", "time limit of one call, of every tool (default 60s, or what the tool sets)")
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if other, ok := flagAliases[name]; ok {
			name = other
		}
		return pflag.NormalizedName(name)
	})
}

// backendName is the name of a sandbox backend.
type backendName string

// Set takes the name from a flag, if there is such a backend.
func (b *backendName) Set(name string) error {
	if _, err := sandbox.ParseBackend(name); err != nil {
		return errors.New("expected namespaces, bubblewrap, landlock, seatbelt, none, container or external")
	}
	*b = backendName(name)
	return nil
}

// String returns the name.
func (b *backendName) String() string { return string(*b) }

// Type names what the flag takes.
func (b *backendName) Type() string { return "string" }

// backendUsage is the help text of --sandbox-backend.
const backendUsage = "the only sandbox backend to use: namespaces, bubblewrap, landlock, seatbelt, none, container or external (default the best that works)"

// flagAliases are the names that other harnesses gave the same flags.
var flagAliases = map[string]string{
	"max-tokens":                   "budget",
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

// addAsked registers the flag for the model of commands that hold no conversation. In the mode auto it reviews calls, and hooks that are
// prompts ask it.
func (o *callFlags) addAsked(flags *pflag.FlagSet) {
	flags.StringVarP(&o.asked, "model", "m", "", "provider/name of the model that reviews calls in the mode auto and that hooks ask (default: the first provider with a key, else a local server)")
}

// Harness returns the options as the harness takes them.
func (o *callFlags) Harness(cmd *cobra.Command, person harness.Person) harness.Options {
	mode := o.mode
	if mode == "" && o.yolo {
		mode = "full"
	}
	program, _ := os.Executable() // without it some documents are not read
	return harness.Options{
		Program: program, Dir: o.Dir,
		Terms:   harness.Terms{Model: o.asked, AddDirs: o.addDirs, Mode: mode, Allow: o.allow, Ask: o.ask, Deny: o.deny, Only: o.only, Sandbox: o.sandbox, StrictMCP: o.mcpOnly, Offer: o.tools},
		Backend: string(o.Backend), Trust: o.trust, MCPConfig: o.mcp, Parallel: int(o.parallel), Timeout: o.timeout, OneCall: o.Single, Person: person, Version: programVersion(), Warn: warningsTo(cmd),
	}
}
