package catalogue

import (
	"context"
	"errors"
	"os"

	"rein/app/harness"
	"rein/app/sessions"
	"rein/app/settings"
)

// Local is the catalogue of a directory on this machine, as a command that starts now finds it: each use opens a harness of its own,
// with files and settings as they are.
type Local struct {
	Options harness.Options // of the harness; its Warn takes what is wrong with files
}

// List implements Catalogue.
func (l Local) List(ctx context.Context, kind Kind) (list List, err error) {
	switch kind {
	case Schedules:
		return schedules(ctx)
	case Rules:
		return l.rules()
	}
	read := map[Kind]func(context.Context, *harness.Harness) (List, error){Agents: listAgents, Skills: listSkills, ToolServers: listToolServers, Hooks: l.listHooks, Memory: listMemory}[kind]
	if read == nil {
		return list, ErrNotThere
	}
	err = l.with(ctx, func(h *harness.Harness) error {
		list, err = read(ctx, h)
		return err
	})
	return list, err
}

// Do implements Catalogue.
func (l Local) Do(ctx context.Context, r Request) (text string, err error) {
	switch r.Kind {
	case Schedules:
		return doSchedule(ctx, r)
	case Rules:
		return l.doRule(ctx, r)
	case Sessions:
		return l.doSession(r)
	}
	if r.Kind == ToolServers && r.Verb == "remove" {
		return "", removeToolServer(r.Name)
	}
	do := map[Kind]func(context.Context, *harness.Harness, Request) (string, error){Agents: doAgent, Skills: doSkill, ToolServers: doToolServer, Memory: doMemory}[r.Kind]
	if do == nil {
		return "", ErrNotThere
	}
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

func (l Local) doSession(r Request) (string, error) {
	if r.Verb != "delete" {
		return "", ErrNotThere
	}
	s := harness.SessionStore(settings.DefaultDirs(), func(string) {})
	defer s.Close()
	if err := s.Delete(r.Name); err != nil {
		return "", err
	}
	return "Deleted " + r.Name + "\n", nil
}
