package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"rein/app/server/api"
	"rein/app/tui/text"
	"rein/guard"
)

// attachCommand is something that a line of rein attach can ask for.
type attachCommand struct {
	name, args, about string
	session           bool // it needs a session
	do                func(a *attached, ctx context.Context, rest string) error
}

// attachCommands are the commands, in the order of the help.
func attachCommands() []attachCommand {
	return []attachCommand{
		{"/y", "[N]", "approve request N; without N the only one that is open", true, approveFor(guard.Once)},
		{"/s", "[N]", "approve it, and calls of its kind, for this session", true, approveFor(guard.ForSession)},
		{"/p", "[N]", "the same for all sessions of the workspace, as a rule", true, approveFor(guard.ForProject)},
		{"/u", "[N]", "the same for all sessions, as a rule", true, approveFor(guard.Always)},
		{"/n", "[N] [WORDS]", "deny it, with words for the model", true, func(a *attached, ctx context.Context, rest string) error {
			return a.answer(ctx, rest, func(_ api.Request, words string) (guard.Answer, error) {
				return guard.Answer{Choice: guard.Denied, Words: words}, nil
			})
		}},
		{"/a", "N ANSWER", "answer a question by the numbers of choices or by words; several questions: A; B", true, (*attached).choose},
		{"/steer", "TEXT", "a message for the model's next request, while it works", true, func(a *attached, ctx context.Context, rest string) error { return a.send(ctx, rest, true) }},
		{"/file", "PATH", "upload an image, a PDF file or a text for the next message", true, (*attached).upload},
		{"/stop", "", "stop the turn (also Ctrl-C)", true, func(a *attached, ctx context.Context, _ string) error {
			if !a.stop(ctx) {
				return errors.New("nothing is running")
			}
			return nil
		}},
		{"/resume", "", "continue a turn that was interrupted", true, func(a *attached, ctx context.Context, _ string) error {
			_, err := a.client.Resume(ctx, a.id)
			return err
		}},
		{"/diff", "", "what the session has changed in files", true, (*attached).changes},
		{"/undo", "[yes]", "show what undoing the last change of files would do; /undo yes does it", true, (*attached).undo},
		{"/mode", "NAME", "change the permission mode", true, func(a *attached, ctx context.Context, rest string) error {
			return a.change(ctx, api.Change{Mode: rest})
		}},
		{"/model", "NAME", "change the model, while no turn runs", true, func(a *attached, ctx context.Context, rest string) error {
			return a.change(ctx, api.Change{Model: rest})
		}},
		{"/compact", "[WORDS]", "shorten the conversation for the model; the words say what to keep", true, func(a *attached, ctx context.Context, rest string) error {
			_, err := a.client.Compact(ctx, a.id, api.Compaction{Focus: rest})
			return err
		}},
		{"/help", "", "show this", false, func(a *attached, _ context.Context, _ string) error {
			a.note("", attachHelp(a.screen.Own))
			return nil
		}},
		{"/quit", "", "leave (also Ctrl-D); the session continues", false, func(*attached, context.Context, string) error { return errLeave }},
	}
}

// approveFor makes the function that approves a request for as long as a scope says.
func approveFor(scope guard.Scope) func(*attached, context.Context, string) error {
	return func(a *attached, ctx context.Context, rest string) error {
		return a.answer(ctx, rest, func(r api.Request, _ string) (guard.Answer, error) {
			if r.Intent.Questions != nil {
				return guard.Answer{}, errors.New("it is a question: /a answers it")
			}
			return guard.Answer{Choice: guard.Approved, Scope: scope}, nil
		})
	}
}

var errLeave = errors.New("the person leaves")

// attachHelp lists the commands.
func attachHelp(own text.Words) string {
	var b strings.Builder
	b.WriteString(own.Of("A line is a message; while the session works, it waits until the turn is over. Commands:") + "\n")
	for _, c := range attachCommands() {
		fmt.Fprintf(&b, "  %-18s %s\n", strings.TrimSpace(c.name+" "+c.args), own.Of(c.about))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// do obeys one line. What begins with the name of no command is a message: the server knows further commands.
func (a *attached) do(ctx context.Context, line string) error {
	name, rest, _ := strings.Cut(line, " ")
	for _, c := range attachCommands() {
		if c.name != name {
			continue
		}
		if c.session && a.id == "" {
			return errors.New("there is no session yet: your first message begins one")
		}
		return c.do(a, ctx, strings.TrimSpace(rest))
	}
	if strings.HasPrefix(line, "!") {
		return errNoOwnCommands
	}
	return a.send(ctx, line, false)
}

func (a *attached) send(ctx context.Context, text string, steer bool) error {
	if a.id == "" {
		a.new.Text = text
		s, err := a.client.Start(ctx, a.new)
		if err != nil {
			return err
		}
		a.id, a.turns = s.ID, 1
		return a.follow(ctx)
	}
	a.mu.Lock()
	a.turns++
	files := a.files
	a.mu.Unlock()
	sent, err := a.client.Send(ctx, a.id, api.NewMessage{ID: rand.Text(), Text: text, Steer: steer, Attachments: files})
	a.mu.Lock()
	if err != nil || sent.State == "steered" {
		a.turns--
	}
	if err == nil {
		a.files = nil
	}
	a.mu.Unlock()
	if err == nil && sent.State == "queued" {
		a.note("dim", a.screen.Own.Of("it is sent when the turn is over"))
	}
	return err
}

// answer answers the request that the text begins with the number of, or the only one. with makes the answer from the rest.
func (a *attached) answer(ctx context.Context, text string, with func(r api.Request, rest string) (guard.Answer, error)) error {
	n := 0
	first, rest, _ := strings.Cut(text, " ")
	if _, err := fmt.Sscanf(first, "%d", &n); err == nil {
		text = strings.TrimSpace(rest)
	}
	a.mu.Lock()
	r, ok := a.open[n]
	if n == 0 && len(a.open) == 1 {
		for _, r = range a.open {
			ok = true
		}
	}
	a.mu.Unlock()
	if !ok {
		return errors.New("which request? Give the number of an open one")
	}
	given, err := with(r, text)
	if err != nil {
		return err
	}
	counts, err := sendAnswer(ctx, a.client, r, given)
	if err == nil && counts.Choice != given.Choice {
		a.note("yellow", "  "+a.screen.Own.Of("too late, it was answered elsewhere: %s", printable(counts.String())))
	}
	return err
}

// choose answers a question that a call asks.
func (a *attached) choose(ctx context.Context, text string) error {
	return a.answer(ctx, text, func(r api.Request, words string) (guard.Answer, error) {
		q := r.Intent.Questions
		switch {
		case q == nil:
			return guard.Answer{}, errors.New("it is not a question: /y approves it, /n denies it")
		case words == "":
			return guard.Answer{}, errors.New("the answer is missing: /a N ANSWER")
		case len(q.List) > 1:
			parts := strings.Split(words, ";")
			for i := range parts {
				parts[i] = strings.TrimSpace(parts[i])
			}
			words = strings.Join(parts, "\n")
		}
		chosen, err := q.Read(words)
		return guard.Answer{Choice: guard.Approved, Chosen: chosen}, err
	})
}

// upload sends a file of this machine, for the next message.
func (a *attached) upload(ctx context.Context, path string) error {
	data, err := readFile(path)
	if err != nil {
		return err
	}
	f, err := a.client.Attach(ctx, a.id, api.Upload{Name: filepath.Base(path), Data: data})
	if err != nil {
		return err
	}
	a.mu.Lock()
	a.files = append(a.files, f.ID)
	a.mu.Unlock()
	a.note("dim", a.screen.Own.Of("%s (%s, %d bytes) goes with the next message", printable(f.Name), f.Type, f.Size))
	return nil
}

func (a *attached) change(ctx context.Context, c api.Change) error {
	s, err := a.client.Change(ctx, a.id, c)
	if err == nil {
		a.note("dim", printable(a.screen.Own.Of("mode %s, model %s", s.Mode, s.Model)))
	}
	return err
}

func (a *attached) changes(ctx context.Context, _ string) error {
	all, err := a.client.Changes(ctx, a.id)
	if err == nil && len(all.Files) == 0 {
		a.note("dim", a.screen.Own.Of("no file is changed"))
	}
	a.showFiles(all.Files)
	return err
}

// undo shows what taking the last change back would do. With "yes" it does what was shown.
func (a *attached) undo(ctx context.Context, sure string) error {
	what := api.Undoing{Last: 1}
	if sure == "yes" {
		if what.Hash = a.plan; what.Hash == "" {
			return errors.New("/undo shows first what it would do")
		}
	}
	done, err := a.client.Undo(ctx, a.id, what)
	a.plan = ""
	if err != nil {
		return err
	}
	a.showFiles(done.Files)
	for _, c := range done.Conflicts {
		a.note("yellow", printable("  "+a.screen.Own.Of("stays as it is: %s: %s", c.Path, c.Why)))
	}
	for _, f := range done.Failed {
		a.note("red", printable("  "+a.screen.Own.Of("cannot be written: %s", f)))
	}
	if done.Done {
		a.note("dim", a.screen.Own.Of("that is undone"))
		return nil
	}
	a.plan = done.Hash
	a.note("yellow", a.screen.Own.Of("/undo yes does this"))
	return nil
}

// shownDiff is how many bytes of the diff of a file are shown.
const shownDiff = 8000

func (a *attached) showFiles(files []api.File) {
	for _, f := range files {
		a.note("bold", printable(fmt.Sprintf("%s: %s +%d -%d", f.Path, f.What, f.Added, f.Removed)))
		for line := range strings.Lines(f.Diff[:min(len(f.Diff), shownDiff)]) {
			a.note(diffColour(line), "  "+printable(strings.ToValidUTF8(strings.TrimSuffix(line, "\n"), "")))
		}
		if len(f.Diff) > shownDiff {
			a.note("dim", "  …")
		}
	}
}
