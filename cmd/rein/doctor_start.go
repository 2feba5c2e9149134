package main

import (
	"context"
	"errors"
	"os"

	"rein/app/extend"
	"rein/app/harness"
	"rein/app/settings"
	"rein/kit/providers"
)

// startFinding is the doctor's last finding: whether rein can start here, and how a session would run.
func startFinding(ctx context.Context, o callFlags, backend string) []finding {
	const area = "verdict"
	how, warnings, err := tryStart(ctx, o)
	var all []finding
	for _, line := range warnings {
		all = append(all, finding{area, "warning", false, line})
	}
	if err != nil {
		return append(all, finding{area, "rein cannot start", false, err.Error()})
	}
	return append(all, finding{area, "rein can start", true, "model " + how.Model + ", mode " + how.Mode + ", sandbox backend " + backend})
}

// tryStart starts a session as rein run does, and throws it away.
func tryStart(ctx context.Context, o callFlags) (how harness.Terms, warnings []string, err error) {
	dirs := settings.DefaultDirs()
	if dirs.Sessions, err = os.MkdirTemp("", "rein-doctor-"); err != nil {
		return how, nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dirs.Sessions)) }()
	h, err := harness.Open(ctx, harness.Options{Dir: o.Dir, Dirs: dirs, Backend: string(o.Backend), OneCall: true, Version: programVersion(),
		Warn: func(line string) { warnings = append(warnings, line) }})
	if err != nil {
		return how, warnings, err
	}
	agents, err := h.Agents() // one call has no sub-agents
	warnings = append(warnings, extend.BrokenAgents(agents)...)
	if err != nil {
		return how, warnings, errors.Join(err, h.Close(ctx))
	}
	s, err := h.Start(ctx, harness.NewSession{})
	if err == nil {
		how = s.Terms()
	}
	if how.Model == "" && err == nil {
		how.Model = firstModel(ctx, h.Settings())
	}
	return how, warnings, errors.Join(err, h.Close(ctx))
}

// firstModel is the name of the model that a session takes when none is named.
func firstModel(ctx context.Context, set settings.Settings) string {
	m, err := providers.Open(ctx, "", harness.ProviderOptions(set))
	if err != nil {
		return ""
	}
	info := m.Info()
	return info.Provider + "/" + info.Name
}
