package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"rein/app/harness"
	"rein/app/settings"
	"rein/app/tui/full"
	"rein/app/tui/text"
	"rein/kit/catalog"
	"rein/kit/providers"
	"rein/model"
)

// newSetup is the command rein setup.
func newSetup() *cobra.Command {
	return &cobra.Command{
		Use:   "setup",
		Short: "Choose a model, enter its key, and choose the mode, step by step",
		Long: `Choose a model, enter its key, and choose the mode, step by step. The model is tested with one small request.
The choice is written into your settings. A key that you enter is kept in the keyring of the system, or in keys.json beside
your settings, which only you can read.
An environment variable takes precedence over it.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runSetup(cmd) },
	}
}

// canSetup reports whether a person at a terminal can be asked.
func canSetup(cmd *cobra.Command) bool {
	out, ok := cmd.OutOrStdout().(*os.File)
	return ok && cmd.InOrStdin() == os.Stdin && term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(out.Fd())) && os.Getenv("TERM") != "dumb"
}

// runSetup asks for a model and a mode and writes them into the user's settings.
//
// The key that was entered is in the environment of this process afterwards.
func runSetup(cmd *cobra.Command) error {
	if !canSetup(cmd) {
		return withExitCode(exitUsage, errors.New("the setup needs a terminal; else set the key of a provider in the environment, and \"model\" in the settings"))
	}
	out := cmd.OutOrStdout().(*os.File)
	s := setup{Asker: full.Asker{In: os.Stdin, Out: out, Theme: text.UnknownTheme(text.DepthOf(os.Getenv))}, dirs: settings.DefaultDirs()}
	s.Words = ownWords()
	err := s.run(cmd.Context())
	if errors.Is(err, full.ErrLeft) {
		return withExitCode(exitDenied, errors.New(s.Words.Of("nothing was changed; rein setup asks again, and rein demo needs no model")))
	}
	return errors.Join(err, s.dirs.UseKeys())
}

// setup is one run through the steps.
type setup struct {
	full.Asker
	dirs settings.Dirs
	key  struct{ name, value string } // entered, and not kept yet
}

func (s *setup) run(ctx context.Context) error {
	if err := settings.Change(s.file(), "supervised", true, "mode"); err != nil {
		return err // what is chosen could not be written down
	}
	for {
		ref, err := s.model(ctx)
		if err != nil {
			return err
		}
		if err := s.finish(ctx, ref); !errors.Is(err, full.ErrBack) {
			return err
		}
		s.key.value = "" // another provider may be chosen
	}
}

// file is the settings of the user.
func (s *setup) file() string { return filepath.Join(s.dirs.Config, "settings.json") }

// finish asks for the mode and writes down what was chosen. ErrBack goes back to the model, and nothing is written.
func (s *setup) finish(ctx context.Context, ref string) error {
	modes := []string{"supervised", "ask", "read-only", "plan"}
	say := s.Words.Of
	i, err := s.Choose(ctx, say("2 of 2  How much may it do without asking?"), []full.Row{
		{Name: say("what is harmless"), About: say("reads and changes files here, asks before what may harm")},
		{Name: say("only read, and ask for the rest"), About: say("asks before each change of a file and each program")},
		{Name: say("only read"), About: say("changes and runs nothing that writes")}, {Name: say("plan first"), About: say("reads, and writes a plan")}})
	if err != nil {
		return err
	}
	if s.key.value != "" {
		if err := s.keep(ctx); errors.Is(err, full.ErrBack) {
			return s.finish(ctx, ref)
		} else if err != nil {
			return err
		}
	}
	file := s.file()
	_, err = settings.Put(file, ref, "model")
	if err == nil {
		_, err = settings.Put(file, modes[i], "mode")
	}
	if err == nil {
		s.Show(text.Dim, say("%s is in %s; rein setup changes it", ref, file))
		fmt.Fprintln(s.Out)
	}
	return err
}

// keep keeps the key that was entered: in the keyring of the system, or where there is none, or the user wants it, in a file.
func (s *setup) keep(ctx context.Context) error {
	say := s.Words.Of
	if settings.HasKeyring() == nil {
		rows := []full.Row{{Name: say("in the keyring of the system")}, {Name: say("in a file"), About: say("that only you can read")}}
		i, err := s.Choose(ctx, say("Where is the key kept?"), rows)
		if err != nil {
			return err
		}
		if i == 0 {
			err := s.dirs.KeepKeyInKeyring(s.key.name, s.key.value)
			if err == nil {
				s.Show(text.Dim, say("the key is in the keyring of the system"))
				return nil
			}
			s.Show(text.Warn, say("%v; it is kept in a file instead", err))
		}
	}
	kept, err := s.dirs.KeepKey(s.key.name, s.key.value)
	if err == nil {
		s.Show(text.Dim, say("the key is in %s, which only you can read", kept))
	}
	return err
}

// choice is a provider that can be chosen.
type choice struct {
	full.Row
	provider string
	variable string   // that holds its key, or may; "": it needs none
	has      bool     // the key is there
	models   []string // of a local server
}

// listChoices lists what works already first: providers with keys, local servers, then the rest.
func listChoices(ctx context.Context, o *providers.Options, own text.Words) (all []choice) {
	var later []choice
	servers := providers.Servers(ctx, o)
	for _, p := range providers.Table() {
		c := choice{provider: p.Name, Row: full.Row{Name: p.Name}}
		switch {
		case p.Local:
			i := slices.IndexFunc(servers, func(s providers.Server) bool { return s.Provider == p.Name })
			if i < 0 || servers[i].Usable() == "" {
				continue
			}
			c.Name, c.models = own.Of("%s, local", servers[i].Title), servers[i].Models
			c.About = own.Of("%s has %s", servers[i].Base, strings.Join(c.models[:min(len(c.models), 3)], own.Of(", ")))
			all = append(all, c)
			continue
		case len(p.Keys) == 0:
			continue
		}
		c.variable, c.About = p.Keys[0], own.Of("enter a key")
		for _, name := range p.Keys {
			if o.Getenv(name) != "" {
				c.variable, c.has, c.About = name, true, own.Of("key found in %s", name)
				break
			}
		}
		if c.has {
			all = append(all, c)
		} else {
			later = append(later, c)
		}
	}
	return append(all, later...)
}

// model asks until a model answers, or the user takes one that does not.
func (s *setup) model(ctx context.Context) (ref string, err error) {
	for {
		o := s.options()
		all := listChoices(ctx, o, s.Words)
		rows := make([]full.Row, len(all))
		for i, c := range all {
			rows[i] = c.Row
		}
		i, err := s.Choose(ctx, s.Words.Of("1 of 2  Which model?"), rows)
		if errors.Is(err, full.ErrBack) {
			err = full.ErrLeft
		}
		if err != nil {
			return "", err
		}
		switch ref, err := s.modelOf(ctx, all[i]); {
		case errors.Is(err, full.ErrBack):
			s.key.value = "" // of a provider that is not used
		default:
			return ref, err
		}
	}
}

// modelOf asks for the key of a provider where there is none, then for its model, and tests it.
func (s *setup) modelOf(ctx context.Context, c choice) (ref string, err error) {
	say := s.Words.Of
	for {
		if c.variable != "" && !c.has {
			key, err := s.Write(ctx, say("The key of %s (as in %s; it is not shown)", c.provider, c.variable), true)
			if err != nil {
				return "", err
			}
			s.key.name, s.key.value = c.variable, key
			c.has = true
		}
		if ref, err = s.nameOf(ctx, c); err != nil {
			return "", err
		}
		problem := s.try(ctx, ref)
		if problem == nil {
			return ref, nil
		}
		s.Show(text.Error, problem.Error())
		rows := []full.Row{{Name: say("another model"), About: say("or provider")}, {Name: say("use it anyway"), About: say("it may work later")}}
		if s.key.value != "" {
			rows = append([]full.Row{{Name: say("another key")}}, rows...)
		}
		i, err := s.Choose(ctx, say("It does not answer. What now?"), rows)
		switch {
		case err != nil && !errors.Is(err, full.ErrBack):
			return "", err
		case err == nil && rows[i].Name == say("use it anyway"):
			return ref, nil
		case err == nil && rows[i].Name == say("another key"):
			c.has, s.key.value = false, ""
		default:
			return "", full.ErrBack
		}
	}
}

// nameOf asks for the model of a provider.
func (s *setup) nameOf(ctx context.Context, c choice) (string, error) {
	var rows []full.Row
	for _, name := range c.models {
		rows = append(rows, full.Row{Name: name})
	}
	for _, p := range providers.Table() {
		if p.Name == c.provider && p.Model != "" {
			rows = append(rows, full.Row{Name: p.Model, About: s.Words.Of("the usual one")})
		}
	}
	for _, m := range catalog.Of(c.provider) {
		if m.ToolCall && !slices.ContainsFunc(rows, func(r full.Row) bool { return r.Name == m.ID }) {
			rows = append(rows, full.Row{Name: m.ID, About: s.Words.Of("%dk tokens", m.Limit.Context/1000)})
		}
	}
	rows = append(rows, full.Row{Name: s.Words.Of("another one"), About: s.Words.Of("write its name")})
	i, err := s.Choose(ctx, s.Words.Of("Which model of %s?", c.provider), rows)
	if err != nil {
		return "", err
	}
	name := rows[i].Name
	if i == len(rows)-1 {
		if name, err = s.Write(ctx, s.Words.Of("Its name"), false); err != nil {
			return "", err
		}
	}
	return c.provider + "/" + name, nil
}

// options see the key that was entered as if the environment had it.
func (s *setup) options() *providers.Options {
	o := harness.ProviderOptions(settingsIn("."))
	o.Getenv = func(name string) string {
		if name == s.key.name && s.key.value != "" {
			return s.key.value
		}
		return os.Getenv(name)
	}
	return o
}

// tryTime is how long the test may take.
const tryTime = 60 * time.Second

// try sends the model one small request.
func (s *setup) try(ctx context.Context, ref string) error {
	s.Show(text.Dim, s.Words.Of("asking %s ...", ref))
	ctx, stop := context.WithTimeout(ctx, tryTime)
	defer stop()
	o := s.options()
	o.Retry = &model.RetryOptions{Tries: -1}
	m, err := providers.Open(ctx, ref, o)
	if err != nil {
		return err
	}
	began := time.Now()
	if _, err := model.Ask(ctx, m, &model.Request{Messages: []*model.Message{model.UserText("Answer with the word ready.")}, MaxTokens: 200}); err != nil {
		return err
	}
	s.Show(text.OK, s.Words.Of("it answers, after %.1f s", time.Since(began).Seconds()))
	return nil
}
