// Package house checks the structure of the module: which package may import which, what a public package may show, how
// large a package or a function may grow, which words are out of use, and that no message writes "1 files". Its test runs
// every check over the module. The tables of this file and the lists beside it hold the rules.
package house

import (
	"path"
	"strings"
)

// Layers gives each package of the module its layer, by import path below the module's root. An import must go
// to a lower layer. A directory that ends in "/..." covers everything below it that is not listed by itself.
var Layers = map[string]int{
	"": 0, // the map: imports nothing

	// Parts that only one package uses.
	"edit/internal/fold":  -2,
	"edit/internal/...":   -1,
	"schema/internal/...": -1,
	"schema/provider":     0,

	// The shell guard, from the ground up.
	"guard/shell/fact":     -1,
	"guard/shell/bash":     -1,
	"guard/shell/table":    0,
	"guard/shell/code":     0,
	"guard/shell/script":   1,
	"guard/shell/judge":    0,
	"guard/shell/programs": 1,
	"guard/shell":          2,

	// The sandbox's parts, and what they need of others.
	"places":                    -2,
	"internal/plainfile":        -2,
	"internal/database":         -2,
	"internal/desktop":          -1,
	"internal/box":              -1,
	"internal/harden":           -1,
	"sandbox/internal/...":      -3, // leaves
	"sandbox/internal/program":  -2,
	"sandbox/internal/view":     -1,
	"sandbox/internal/linux":    0, // the backends
	"sandbox/internal/seatbelt": 0,
	"sandbox/internal/denial":   0,

	"edit": 0,

	// Leaves that import nothing of ours.
	"internal/...": 0,
	"netpolicy":    0,
	"redact":       0,
	"spill":        0,
	"tokens":       0,

	"internal/patch":     1, // patches go through the edit engine
	"internal/repair":    1, // reads with internal/jsonscan
	"internal/jsonorder": 1, // the same

	"internal/document": 1, // reads the chapters of a book with internal/page
	"internal/picture":  1, // turns images with internal/exif
	"internal/aws":      1, // reads frames with internal/eventstream

	"guard/preset":    0,
	"workspace/lines": 0,

	"undo/internal/...":        -1,
	"undo/internal/scope":      0, // reads directories with disk
	"undo/internal/gitobjects": 0,
	"undo/internal/tree":       1, // what is known of a directory, and the walk that compares it
	"internal/ignore":          -1,

	"schema":    1,
	"undo":      2,
	"workspace": 1,
	"sandbox":   1,

	"sandbox/proxy": 1,
	"sandbox/stdio": 2,
	"sandbox/piped": 2, // runs programs in a sandbox

	"sandbox/sandboxtest": 2, // a suite that implementers run

	"internal/proxyload":  2, // a command that measures the proxy
	"internal/page/score": 1, // a command that scores package page

	"tool": 2,

	"event": 3,
	"hook":  3, // what hooks of the user may do
	"guard": 3,
	"model": 3,
	"mcp":   3,

	"mcp/config": 1, // which servers there are
	"mcp/pins":   1, // what servers said their tools are
	"mcp/oauth":  1, // signs in to servers

	"toolkit":     4, // the list of the tools below
	"toolkit/...": 3,

	"toolkit/compute":             4, // a list of the tools below
	"toolkit/program/interpreter": 0, // a process of its own

	"journal":   4,
	"model/...": 4,

	"toolcall":                      4,
	"model/providers":               5, // opens the models of the layer below
	"model/modeltest":               5, // its suite is a script of model/script
	"internal/modelserver":          5, // the test server answers from scripts of model/script
	"model/recovery":                5, // reads leaked calls with the dialects
	"model/dialect/internal/source": 3,
	"model/dialect/write":           5, // writes calls in a dialect
	"model/textcalls":               6, // reads and writes the calls of a model in a dialect

	// The suites that implementers run: they import what they test.
	"guard/guardtest":     4,
	"guard/standard":      4, // the full set of guards
	"guard/rule":          5,
	"journal/journaltest": 5,

	"agent":                5,
	"agent/...":            4, // parts of the loop that know no call and no session
	"agent/budget":         0,
	"agent/kind":           0, // data: kinds of sub-agents
	"harness/settings":     5,
	"harness/surroundings": 4,
	"harness/hooks":        6,
	"harness/planmode":     4, // a tool and its guard
	"harness/review":       4, // an approver
	"harness/stats":        4, // counts events

	"harness/hooks/wire":  5,
	"harness/secretfiles": 4, // values that are masked
	"harness/access":      6, // what the user granted beyond the sandbox
	"harness/agents":      6, // definitions for agent/team
	"harness/inbox":       4, // stores requests and answers
	"harness/ondemand":    4, // tools that the model searches for
	"harness/toolservers": 6, // other people's tools, for a session
	"harness/spent":       6, // what all sessions of a day have spent
	"harness/past":        6, // reads journals for the tool recall
	"harness/memory":      6, // the store of the tools of toolkit/memory
	"harness/sessions":    6,
	"harness/schedule":    4, // jobs, and the daemon that runs them
	"harness/notify":      0, // to the desktop, a webhook, a mailbox
	"harness/sent":        4, // files for the user
	"harness/browse":      4, // the files of a workspace, for the user
	"harness/judging":     6, // judges by guard/rule

	"harness/sessions/transcript": 4, // reads and writes events only

	"harness/external":                 6, // kinds of sub-agents that are other programs
	"harness/snapshot":                 6,
	"harness/instructions":             5,
	"harness/slash":                    5,
	"harness/skills":                   6,
	"harness/skills/archive":           0,
	"harness/skills/scan/internal/...": 0,
	"harness/skills/scan":              3, // reads commands as the guard does
	"harness/trust":                    3,
	"harness":                          7,

	// The parts of the terminal's front end. Only tui and tui/here import harness.
	"tui/text":      0,
	"tui/complete":  1,
	"tui/keys":      0,
	"tui/highlight": 1,
	"tui/input":     1,
	"tui/full":      2,
	"tui/scroll":    2,
	"tui/place":     7,
	"tui/here":      8,
	"tui/attach":    3,
	"tui/inline":    0,
	"tui/steps":     2,
	"tui/listing":   3,
	"tui/mailbox":   4,
	"tui/pending":   5,
	"tui/status":    5,
	"tui/notify":    0,
	"tui/signals":   0,
	"tui/markdown":  2,
	"tui/diff":      2,
	"tui/block":     4,
	"tui/approval":  4,
	"tui/session":   4, // what the chat needs of a session

	"tui":                8,
	"server":             8,
	"server/...":         7,
	"server/api":         6, // types that the others fill
	"server/auth":        0, // files only
	"server/rate":        0,
	"server/description": 0,
	"internal/serveload": 9, // a command that measures the server
	"client":             8, // a program that uses a server
	"acp":                8,
	"mcpserver":          8,

	"internal/servertest": 9, // starts servers for the tests of clients

	"cmd/rein/internal/console":     8, // the plain terminal
	"cmd/rein/internal/rulesimport": 8,
	"cmd/rein/internal/cli":         9,  // what all commands share
	"cmd/rein/internal/jobs":        10, // runs scheduled tasks, for two commands
	"cmd/rein/internal/...":         11, // the commands, a package for each theme
	"cmd/rein":                      12,
}

// A Pair forbids an import that the layers alone would allow. Both sides are patterns: a package, or a directory
// with "/..." for itself and everything below it. A path that starts with "std:" is one of the standard library.
type Pair struct {
	From   []string
	To     []string
	Except []string // packages that From or To cover and that are allowed
	Why    string
}

// What the program's front ends may import beside their own parts.
var belowFaces = []string{"harness", "harness/...", "event", "tool", "guard", "undo", "internal/plainfile"}

const whyFaces = "a front end knows the harness, events, and the types of tool, guard and undo"

// Forbidden lists the pairs.
var Forbidden = []Pair{
	{From: []string{"agent/..."}, To: []string{"toolkit/...", "mcp/..."}, Why: "the agent knows no tool by name"},
	{From: []string{"agent/..."}, To: []string{"model/..."}, Except: []string{"model"}, Why: "the agent knows no provider by name"},
	{From: []string{"toolcall/..."}, To: []string{"model/..."}, Why: "the pipeline knows no model"},
	{From: []string{"guard/..."}, To: []string{"sandbox/...", "workspace/...", "netpolicy/...",
		"std:os/...", "std:io/ioutil", "std:syscall", "std:net/..."}, Except: []string{"std:net/netip", "std:net/url"},
		Why: "a guard does no input or output"},
	{From: []string{"toolkit/..."}, To: []string{"guard/...", "journal/...", "agent/...", "model/..."},
		Why: "a tool does not know what guards it"},
	{From: []string{"tui/..."}, To: []string{"..."}, Except: append([]string{"tui/..."}, belowFaces...), Why: whyFaces},
	{From: []string{"server/..."}, To: []string{"..."}, Except: append([]string{"server/..."}, belowFaces...), Why: whyFaces},
	{From: []string{"acp/..."}, To: []string{"..."}, Except: append([]string{"acp/..."}, belowFaces...), Why: whyFaces},
	{From: []string{"mcpserver/..."}, To: []string{"..."}, Except: append([]string{"mcpserver/..."}, belowFaces...), Why: whyFaces},
}

// The measures of the import graph.
const (
	maxDepth = 9    // packages of ours in the longest chain of imports, the first one not counted
	maxEdges = 3.03 // imports of our packages, per package
)

// layerOf finds the layer of a package: its own line, else the nearest directory above it that ends in "/...".
func layerOf(name string) (int, bool) {
	if layer, ok := Layers[name]; ok {
		return layer, true
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if layer, ok := Layers[dir+"/..."]; ok {
			return layer, true
		}
	}
	return 0, false
}

func covers(patterns []string, name string) bool {
	for _, p := range patterns {
		dir, below := strings.CutSuffix(p, "...")
		switch {
		case !below && p == name:
			return true
		case below && dir == "":
			if !strings.HasPrefix(name, "std:") {
				return true
			}
		case below && (name+"/" == dir || strings.HasPrefix(name, dir)):
			return true
		}
	}
	return false
}
