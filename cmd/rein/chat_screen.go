package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"rein/app/catalogue"
	"rein/app/harness"
	"rein/app/session"
	"rein/app/sessions"
	"rein/app/tui"
)

// fullTerminal reports whether the chat can use the terminal as a screen.
func (a *modelFlags) fullTerminal(cmd *cobra.Command) bool {
	out, ok := cmd.OutOrStdout().(*os.File)
	return ok && !a.plain && !a.accessible && os.Getenv("TERM") != "dumb" && cmd.InOrStdin() == os.Stdin &&
		term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(out.Fd()))
}

// orSetup is the chat on a terminal. Where no model is found it asks for one first.
func (a *modelFlags) orSetup(cmd *cobra.Command, setup func(*cobra.Command) error) error {
	err := a.screen(cmd)
	if e, ok := errors.AsType[harness.Error](err); !ok || e.Kind != harness.Auth || a.model != "" {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s\n\n", ownWords().Of("rein needs a model. rein demo shows it without one."))
	if err := setup(cmd); err != nil {
		return err
	}
	return a.screen(cmd)
}

// collectOften lets the heap grow by half between two collections, from the first one on. A chat runs for hours and is idle most
// of the time: with 10,000 blocks it needs 8 MB less. A GOGC of the user's stays.
func collectOften() {
	if os.Getenv("GOGC") == "" {
		runtime.AddCleanup(new([64]byte), func(int) { debug.SetGCPercent(50) }, 0)
	}
}

// screen is the chat on a terminal.
func (a *modelFlags) screen(cmd *cobra.Command) error {
	id, err := a.chosenSession(cmd)
	if err == nil && id != "" {
		err = a.atRecorded(cmd, id)
	}
	if err != nil {
		return err
	}
	collectOften()
	person := tui.NewPerson()
	o := a.harness(cmd, person)
	o.Warn = person.Warn
	h, err := harness.Open(cmd.Context(), o)
	if err != nil {
		return err
	}
	if err := askTrust(cmd, h, true); err != nil {
		return errors.Join(err, h.Close(cmd.Context()))
	}
	where := &sharedPlace{Place: session.LocalPlace(h), h: h, person: person, flags: setsTerms(cmd)}
	screen := tui.Open(cmd.Context(), tui.Options{Place: where, Catalogue: catalogue.Local{Options: harness.Options{Dir: h.Root(), Version: programVersion()}}, Person: person,
		Resumed: id != "", Ephemeral: a.ephemeral, Version: programVersion(), Terminal: h.Settings().Terminal, StatusLine: h.Settings().StatusLine, Dirs: h.Dirs()})
	s, err := a.onScreen(cmd.Context(), where, id)
	ctx := context.WithoutCancel(cmd.Context())
	if err != nil {
		screen.Close()
	} else if s, err = screen.Run(cmd.Context(), s); s != nil {
		err = errors.Join(err, s.Close(ctx))
	}
	return errors.Join(err, h.Close(ctx))
}

// deleteEmpty deletes a session of which nothing is recorded: the user left without a message.
func deleteEmpty(store *sessions.Store, id string) {
	if one, err := store.Get(id); err == nil && one.Dir == "" && one.Name == "" && len(one.Tags) == 0 {
		_ = store.Delete(id) // one that another process has opened meanwhile stays
	}
}

// onScreen starts or continues the session that the flags choose.
func (a *modelFlags) onScreen(ctx context.Context, where *sharedPlace, id string) (session.Session, error) {
	n := harness.NewSession{ID: a.id, Ephemeral: a.ephemeral}
	switch {
	case id != "" && a.fork:
		return where.forked(ctx, id, n)
	case id != "":
		return where.Open(ctx, id)
	}
	return where.hosted(n, func(n harness.NewSession) (*harness.Session, error) { return where.h.Start(ctx, n) })
}
