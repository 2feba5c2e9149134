package tui

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rein/app/catalogue"
	"rein/app/harness"
	"rein/app/session"
	"rein/app/tui/block"
	"rein/app/tui/full"
	"rein/app/tui/text"
)

// openResults shows the finished calls in full screen, the last one first, with all that is kept of their outputs.
func openResults(u *ui) tea.Cmd {
	var all []block.Finished
	cut := false
	for _, r := range slices.Backward(u.talk.results) {
		all = append(all, r)
		cut = cut || r.Result.Result.Cut != nil
	}
	show := func(u *ui) tea.Cmd {
		u.open(full.NewPager("results, the last one first", block.Whole(all, u.marks, u.width-2, u.textWidth()-2)))
		return nil
	}
	switch s, ctx := u.session, u.ctx; {
	case len(all) == 0:
		u.hint = "there is no result yet"
		return nil
	case cut:
		return later(func() func(*ui) tea.Cmd {
			readWhole(ctx, s, all)
			return show
		})
	}
	return show(u)
}

// mostWhole is how many bytes of outputs that are longer than their results a view has.
const mostWhole = 4 << 20

// readWhole puts whole outputs in the place of their parts, the first ones as long as they fit. What cannot be read stays as it is.
func readWhole(ctx context.Context, s session.Session, all []block.Finished) {
	room := int64(mostWhole)
	for i := range all {
		r := &all[i].Result
		if r.Result.Cut == nil || r.Result.Cut.Ref == "" || r.Who != "" || room <= 0 {
			continue
		}
		out, err := s.WholeOutput(ctx, r.Result, room)
		if err != nil || len(out) == 0 {
			continue
		}
		room -= int64(len(out))
		if r.Result.Text = string(out); int64(len(out)) < r.Result.Cut.Total && room <= 0 {
			r.Result.Text += "\n… the rest of " + block.Bytes(r.Result.Cut.Total) + " is not shown"
		}
	}
}

// searchHistory lets the user choose what was written before.
func searchHistory(u *ui) {
	var all []full.Entry
	for _, s := range u.line.history.Search("") {
		lines := strings.Count(strings.TrimSpace(s), "\n") + 1
		e := full.Entry{Name: text.OneLine(s), Value: s}
		if lines > 1 {
			e.About = u.words.Count(lines, "line")
		}
		all = append(all, e)
	}
	p := newPicker("history", all, func(u *ui, e full.Entry) tea.Cmd {
		u.line.Set(e.Value.(string))
		return nil
	})
	p.Filter(u.line.Text(), false)
	u.open(p)
}

// editorOf is the user's editor on a file.
func editorOf(u *ui, file string) *exec.Cmd {
	words := strings.Fields(cmp.Or(u.o.Getenv("VISUAL"), u.o.Getenv("EDITOR"), "vi"))
	c := exec.Command(words[0], append(words[1:], file)...)
	c.Env = harness.Environ()
	return c
}

// editFile opens a file of settings in the user's editor, and shows afterwards what is wrong with it. No editor makes its directory.
func editFile(u *ui, file string) tea.Cmd {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		u.hint = u.words.Of("the editor cannot be opened: %v", err)
		return nil
	}
	return tea.ExecProcess(editorOf(u, file), func(err error) tea.Msg {
		return done{func(u *ui) tea.Cmd {
			u.settle(u.now())
			if err != nil {
				u.hint = u.words.Of("the editor failed: %v", err)
				return nil
			}
			return u.do(u.words.Of("/config: %s applies from the next session", shortDir(file)), catalogue.Request{Kind: catalogue.Rules, Verb: "check"})
		}}
	})
}

// editInEditor opens the line in the user's editor.
func editInEditor(u *ui) tea.Cmd {
	f, err := os.CreateTemp("", "rein-*.md")
	if err == nil {
		_, err = f.WriteString(u.line.Text())
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		u.hint = u.words.Of("the editor cannot be opened: %v", err)
		return nil
	}
	file := f.Name()
	return tea.ExecProcess(editorOf(u, file), func(err error) tea.Msg {
		defer os.Remove(file)
		var written []byte
		if err == nil {
			written, err = os.ReadFile(file)
		}
		return done{func(u *ui) tea.Cmd {
			if u.settle(u.now()); err != nil {
				u.hint = u.words.Of("the editor failed: %v", err)
				return nil
			}
			u.line.Set(strings.TrimRight(string(written), "\n"))
			return nil
		}}
	})
}
