// Package house checks the structure of the module: which package may import which, what a public package may show, how
// large the module, a type and a function may grow, which words are out of use, and that no message writes "1 files". Its test
// runs every check over the module. The tables of this file and the lists beside it hold the rules.
package house

import (
	"slices"
	"strings"
)

// A floor is a group of packages that build on those below. An import goes to a lower floor, or to a package that is listed before.
type floor struct {
	name     string
	packages []string // import paths below the module's root; "" is the root itself
}

// The floors, from the ground up. Packages of lab are on none: what is there may import everything, and only tests import it.
var floors = []floor{
	{"core", []string{
		"", "guard/effect", "hook", "internal/jsontext", "internal/plainfile", "internal/plaintext",
		"redact", "schema", "tool", "model", "event", "guard", "journal", "journal/journaltest",
		"toolcall", "agent",
	}},
	{"kit", []string{
		"kit/script", "kit/modeltest", "kit/guardtest", "kit/document", "kit/edit", "kit/jsonc", "kit/network", "kit/places", "kit/sandbox/internal/box", "kit/sandbox", "kit/shell",
		"kit/workspace", "kit/sandbox/sandboxtest", "kit/undo", "kit/mcp", "kit/tools/browser", "kit/tools/code",
		"kit/tools/command", "kit/tools/files", "kit/tools/git", "kit/tools/lsp", "kit/tools/media", "kit/tools/memory",
		"kit/tools/web", "kit/guards", "kit/tools", "kit/catalog", "kit/dialect", "kit/providers/wire", "kit/providers/anthropic",
		"kit/providers/bedrock", "kit/providers/gemini", "kit/providers/ollama", "kit/providers/openai", "kit/telemetry",
		"kit/providers",
	}},
	{"app", []string{
		"app/internal/database", "app/internal/rpc", "app/notify", "app/tui/text", "app/tui/input",
		"app/tui/full", "app/extend", "app/inbox", "app/memory", "app/schedule",
		"app/stats", "app/tui/block", "app/server/api", "app/sessions", "app/client",
		"app/settings", "app/replay", "app/harness", "app/eval", "app/acp", "app/catalogue", "app/mcpserver", "app/session",
		"app/server", "app/tui",
	}},
	{"cmd", []string{
		"cmd/rein",
	}},
}

// suites are packages of the core that nobody reads to understand it: what implementers test their own parts with, and a scripted model.
var suites = []string{"kit/guardtest", "journal/journaltest", "kit/modeltest", "kit/script"}

type place struct {
	floor string
	rank  int // an import goes to a lower rank
}

// placeOf finds the place of a package of the module. A path that starts with "std:" has none.
func placeOf(name string) (place, bool) {
	rank := 0
	for _, f := range floors {
		if i := slices.Index(f.packages, name); i >= 0 {
			return place{f.name, rank + i}, true
		}
		rank += len(f.packages)
	}
	return place{"lab", rank}, isLab(name)
}

// shared is what the product has of lab: the scripted model server is a command of users, too (rein model-server). They test their own
// programs with it.
const shared = "lab/modelserver"

func isLab(name string) bool { return strings.HasPrefix(name, "lab/") }

// isPublic reports whether a package is there for others to import. What makes the program is there for the program, but for the
// package that front ends and embedders start from, and the client of the server.
func isPublic(name string) bool {
	p, ok := placeOf(name)
	switch {
	case !ok || isInternal(name):
		return false
	case p.floor == "app":
		return name == "app/harness" || name == "app/client"
	}
	return p.floor == "core" || p.floor == "kit"
}

// A Pair forbids an import that the layers alone would allow. Both sides are patterns: a package, or a directory
// with "/..." for itself and everything below it. A path that starts with "std:" is one of the standard library.
type Pair struct {
	From   []string
	To     []string
	Except []string // packages that From or To cover and that are allowed
	Why    string
}

// What shows sessions to people and programs. Each knows the harness by its session, events, and its own protocol.
var fronts = []string{"app/tui/...", "app/server/...", "app/acp", "app/mcpserver"}

// Forbidden lists the pairs.
var Forbidden = []Pair{
	{From: floors[0].packages, To: []string{"std:net/..."}, Except: []string{"std:net/netip", "std:net/url"},
		Why: "net/http and what it needs are 1.3 MB of a program that imports the core"},
	{From: []string{"toolcall"}, To: []string{"model/..."}, Why: "the pipeline knows no model"},
	{From: []string{"kit/..."}, To: []string{"agent/...", "journal/...", "toolcall"}, Why: "a part that works alone knows no session"},
	{From: []string{"kit/tools/..."}, To: []string{"guard/...", "model/..."}, Why: "a tool does not know what guards it"},
	{From: []string{"guard/...", "kit/shell", "kit/guards"}, To: []string{"kit/sandbox/...", "kit/workspace", "kit/network",
		"std:os/...", "std:io/ioutil", "std:syscall", "std:net/..."}, Except: []string{"std:net/netip", "std:net/url"},
		Why: "a guard does no input or output"},
	{From: fronts, To: []string{"agent/...", "journal/...", "toolcall", "model/...", "kit/..."},
		Except: []string{"kit/undo", "kit/workspace", "kit/places"}, Why: "a front end does not reach behind the session"},
	{From: fronts, To: fronts, Why: "two front ends share nothing directly"},
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
