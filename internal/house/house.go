// Package house holds the layers of the project: which package may import which. Its test reads the imports of
// the whole module and fails on an import that points up or sideways, and on a package that has no layer yet.
package house

// Layers gives each package of the module its layer, by import path below the module's root. An import must go
// to a lower layer. A directory that ends in "/..." covers everything below it that is not listed by itself.
var Layers = map[string]int{
	"": 0, // the map: imports nothing

	// Leaves that import nothing of ours.
	"internal/...": 0,
	"edit":         0,
	"netpolicy":    0,
	"places":       0,
	"redact":       0,
	"spill":        0,

	"internal/patch": 1, // patches go through the edit engine

	"schema":    1,
	"workspace": 1,
	"sandbox":   1,

	"sandbox/proxy": 1,

	"internal/proxyload":  2, // a command that measures the proxy
	"internal/page/score": 1, // a command that scores package page

	"tool":        2,
	"guard/shell": 2,

	"event": 3,
	"guard": 3,
	"model": 3,
	"mcp":   3,

	"toolkit":     4, // the list of the tools below
	"toolkit/...": 3,

	"journal":   4,
	"model/...": 4,

	"toolcall":             5,
	"model/providers":      5, // opens the models of the layer below
	"model/modeltest":      5, // its suite is a script of model/script
	"internal/modelserver": 5, // the test server answers from scripts of model/script
	"model/recovery":       5, // reads leaked calls with the dialects

	// The suites that implementers run: they import what they test.
	"guard/guardtest":     4,
	"journal/journaltest": 5,

	"agent":                 6,
	"harness/settings":      6,
	"harness":               7,
	"cmd/rein/internal/...": 8,
	"cmd/rein":              9,
}
