package catalogue

import (
	"context"
	"errors"
	"os"
	"slices"

	"rein/app/harness"
	"rein/app/settings"
)

// Local is the catalogue of a directory on this machine, as a command that starts now finds it: each use opens a harness of its own,
// with files and settings as they are.
type Local struct {
	Options harness.Options // of the harness; its Warn takes what is wrong with files
}

// List implements Catalogue.
func (l Local) List(ctx context.Context, kind Kind) (list List, err error) {
	read := map[Kind]func(context.Context, *harness.Harness) (List, error){Agents: listAgents, Skills: listSkills, Hooks: l.listHooks, Memory: listMemory}[kind]
	switch {
	case kind == Schedules:
		return listSchedules(ctx)
	case kind == ToolServers:
		return l.listToolServers(ctx)
	case kind == Rules:
		return l.listRules()
	case read == nil:
		return list, ErrNotThere
	}
	err = l.with(ctx, func(h *harness.Harness) error {
		list, err = read(ctx, h)
		return err
	})
	return list, err
}

// verbsOf are those of a kind.
func verbsOf(k Kind) []string {
	return map[Kind][]string{Agents: {"show"}, Skills: {"show", "remove"}, ToolServers: {"get", "test", "logs", "logout", "enable", "disable", "remove"}, Memory: {"show", "add", "search", "forget", "confirm"},
		Schedules: {"pause", "resume", "remove", "history"}, Rules: {"check", "explain", "remove"}, Sessions: {"delete"}}[k]
}

// Do implements Catalogue.
func (l Local) Do(ctx context.Context, r Request) (text string, err error) {
	switch {
	case !slices.Contains(verbsOf(r.Kind), r.Verb):
		return "", ErrNotThere
	case r.Kind == Schedules:
		return doSchedule(ctx, r)
	case r.Kind == Rules:
		return l.doRule(ctx, r)
	case r.Kind == Sessions:
		return deleteSession(r.Name)
	case r.Kind == ToolServers:
		return l.doToolServer(ctx, r)
	}
	do := map[Kind]func(context.Context, *harness.Harness, Request) (string, error){Agents: showAgent, Skills: doSkill, Memory: doMemory}[r.Kind]
	err = l.with(ctx, func(h *harness.Harness) error {
		text, err = do(ctx, h, r)
		return err
	})
	return text, err
}

// with opens a harness for one use.
func (l Local) with(ctx context.Context, do func(*harness.Harness) error) error {
	h, err := harness.Open(ctx, l.Options)
	if err != nil {
		return err
	}
	return errors.Join(do(h), h.Close(ctx))
}

// place is the directory, and where its user's settings are.
func (l Local) place() (settings.Dirs, string, error) {
	root, err := l.Options.Dir, error(nil)
	if root == "" {
		root, err = os.Getwd()
	}
	return settings.DefaultDirs(), root, err
}

func deleteSession(id string) (string, error) {
	s := harness.SessionStore(settings.DefaultDirs(), func(string) {})
	defer s.Close()
	if err := s.Delete(id); err != nil {
		return "", err
	}
	return "Deleted " + id + "\n", nil
}
