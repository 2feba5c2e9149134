package tui

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rein/event"
	"rein/harness"
	"rein/harness/catalogue"
	"rein/tool"
	"rein/tui/block"
	"rein/tui/full"
	"rein/tui/place"
	"rein/tui/scroll"
	"rein/tui/session"
	"rein/tui/text"
)

// openResults shows the finished calls in full screen, the last one first, with all that is kept of their outputs.
func (u *ui) openResults() tea.Cmd {
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

// escapeTwice goes back to an earlier message, or clears the line.
func (u *ui) escapeTwice() tea.Cmd {
	if u.vi && !u.normal {
		return u.escape()
	}
	if u.turn != nil {
		u.interrupt()
		return nil
	}
	if !u.editor.Empty() {
		u.editor.Clear()
		return nil
	}
	return u.rewind("")
}

// searchHistory lets the user choose what was written before.
func (u *ui) searchHistory() {
	var all []full.Entry
	for _, s := range u.history.Search("") {
		lines := strings.Count(strings.TrimSpace(s), "\n") + 1
		e := full.Entry{Name: text.OneLine(s), Value: s}
		if lines > 1 {
			e.About = text.Count(lines, "line")
		}
		all = append(all, e)
	}
	p := newPicker("history", all, func(u *ui, e full.Entry) tea.Cmd {
		u.editor.Set(e.Value.(string))
		return nil
	})
	p.Filter(u.editor.Text(), false)
	u.open(p)
}

// edited brings what was written in the user's editor.
type edited struct {
	text string
	err  error
}

// editorOf is the user's editor on a file.
func (u *ui) editorOf(file string) *exec.Cmd {
	words := strings.Fields(cmp.Or(u.o.Getenv("VISUAL"), u.o.Getenv("EDITOR"), "vi"))
	c := exec.Command(words[0], append(words[1:], file)...)
	c.Env = harness.Environ()
	return c
}

// editFile opens a file of settings in the user's editor, and shows afterwards what is wrong with it.
func (u *ui) editFile(file string) tea.Cmd {
	return tea.ExecProcess(u.editorOf(file), func(err error) tea.Msg {
		return done{func(u *ui) tea.Cmd {
			u.scroll.After = u.now().Add(scroll.Settle)
			if err != nil {
				u.hint = "the editor failed: " + err.Error()
				return nil
			}
			return u.do("/config: "+place.Short(file)+" applies from the next session", catalogue.Request{Kind: catalogue.Rules, Verb: "check"})
		}}
	})
}

// editInEditor opens the line in the user's editor.
func (u *ui) editInEditor() tea.Cmd {
	f, err := os.CreateTemp("", "rein-*.md")
	if err == nil {
		_, err = f.WriteString(u.editor.Text())
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		u.hint = "the editor cannot be opened: " + err.Error()
		return nil
	}
	file := f.Name()
	return tea.ExecProcess(u.editorOf(file), func(err error) tea.Msg {
		defer os.Remove(file)
		if err != nil {
			return edited{err: err}
		}
		b, err := os.ReadFile(file)
		return edited{strings.TrimRight(string(b), "\n"), err}
	})
}

func (u *ui) wasEdited(e edited) tea.Cmd {
	u.scroll.After = u.now().Add(scroll.Settle)
	if e.err != nil {
		u.hint = "the editor failed: " + e.err.Error()
		return nil
	}
	u.editor.Set(e.text)
	return nil
}

// shell runs a command of the user through the same checks as one of the model. Its output goes with the next message.
func (u *ui) shell(command string) tea.Cmd {
	s, ok := u.here()
	if !ok {
		u.editor.Set("!" + command)
		u.hint = "a server runs no commands of yours: ask the model to run it"
	}
	if command == "" || !ok || !u.idle() {
		return nil
	}
	args, _ := json.Marshal(map[string]string{"command": command}) // a text always can be encoded
	call := tool.Call{ID: fmt.Sprintf("user-%d", time.Now().UnixNano()), Name: "bash", Args: args}
	ctx, t := u.newTurn()
	box := u.requests.Box
	return later(func() func(*ui) tea.Cmd {
		defer close(t.over)
		defer t.cancel(nil)
		results, err := s.Call(ctx, []tool.Call{call}, func(e event.Event) { box.Put(e) })
		return func(u *ui) tea.Cmd {
			cmd := u.drain() // what happened comes before its end
			for _, r := range results {
				u.offered = append(u.offered, block.OwnCommand+command+"\n"+r.Text+"\n```")
				u.hint = "the output goes with your next message"
			}
			return tea.Batch(cmd, u.ended(turnOver{err}))
		}
	})
}
