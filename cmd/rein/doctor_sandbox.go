package main

import (
	"context"
	"path/filepath"
	"strings"

	"rein/app/harness"
	"rein/kit/providers"
	"rein/kit/sandbox"
)

// providersHere returns where the environment and the settings of a directory say that models are; without readable
// settings the environment alone.
func providersHere(o callFlags) *providers.Options {
	return harness.ProviderOptions(settingsIn(o.Dir))
}

// serverFindings reports the local model servers, as rein run looks for them.
func serverFindings(ctx context.Context, o *providers.Options) []finding {
	var all []finding
	for _, server := range providers.Servers(ctx, o) {
		detail := server.Base + ": "
		if server.Err != nil {
			detail += server.Err.Error()
		} else {
			detail += "has " + strings.Join(server.Models[:min(len(server.Models), 5)], ", ")
		}
		all = append(all, finding{"local model servers", server.Title, server.Err == nil, detail})
	}
	return all
}

// sandboxFindings report what the sandbox enforces here, and what it does not. The first one is the backend.
func sandboxFindings(ctx context.Context, o callFlags) []finding {
	const area = "sandbox"
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return []finding{{area, "backend", false, err.Error()}}
	}
	set := settingsIn(dir)
	box, err := sandbox.New(set.Backend.Apply(sandbox.Policy{Workspace: dir, Only: string(o.Backend), Debuggers: set.Programs.Debuggers}))
	if err != nil {
		return []finding{{area, "backend", false, err.Error()}}
	}
	defer box.Close()
	report, err := box.Report(ctx)
	if err != nil {
		return []finding{{area, "backend", false, err.Error()}}
	}
	all := []finding{{area, "backend", report.Backend > sandbox.BackendNone, report.Backend.String()}}
	for _, t := range report.Tried {
		if t.Err != nil {
			all = append(all, finding{area, t.Backend.String(), false, "does not work here: " + oneLine(t.Err.Error(), 160)})
		}
	}
	for _, w := range report.Guarantees {
		all = append(all, finding{area, w.What, w.Enforced, w.How})
	}
	return all
}
