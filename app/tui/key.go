package tui

import (
	"strings"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"rein/app/tui/full"
	"rein/app/tui/input"
	"rein/app/tui/text"
)

// key takes one key press. One that answers in a dialog counts only when no other key follows at once: a key that is held down
// answers nothing.
func (u *ui) key(k tea.KeyPressMsg) tea.Cmd {
	u.presses.held.Came()
	if u.keys.Of(k.Keystroke()) != text.Send {
		return u.pressed(k)
	}
	before := u.presses.enter
	u.presses.enter = u.now()
	picking := false
	if u.screen != nil {
		_, picking = u.screen.(*picker)
	}
	switch {
	case u.screen == nil && u.questions.telling != nil && u.now().Sub(before) < requestPause:
		u.hint = heldDown
		return nil
	case picking, u.screen == nil && (u.questions.Focused() || u.questions.telling != nil):
		return u.presses.held.Wait(k, u.now())
	}
	return u.pressed(k)
}

// heldDown is the hint where a key came too soon after the one before to be meant.
const heldDown = "wait a moment: a key that is held down does not answer"

// pressed does what a key does.
func (u *ui) pressed(k tea.KeyPressMsg) tea.Cmd {
	if u.screen != nil {
		return u.screenKey(k)
	}
	k = u.presses.typedAhead(k, u.now())
	hint := u.hint
	u.hint = ""
	if pasted := u.presses.paste(k, u.now()); pasted == "\n" && !u.questions.Focused() || pasted == "\t" && u.questions.Len() == 0 && !u.line.popup.Open() {
		u.line.Insert(pasted)
		count := u.presses.count
		return tea.Tick(burstEnd, func(time.Time) tea.Msg { return burstOver{count} })
	}
	if by := map[string]int{"pgdown": 1, "pgup": -1}[k.Keystroke()]; by != 0 {
		u.questions.Scroll(by)
		return nil
	}
	if u.questions.Focused() {
		if taken, enter := u.questions.key(k, u.keys.Of(k.Keystroke())); enter {
			return u.answer(u.questions.Enter(u.now(), k.IsRepeat))
		} else if taken {
			return nil
		}
	}
	press, begins := u.presses.chorded(k.Keystroke(), u.keys, u.now())
	if begins {
		u.hint = u.words.Of("%s and a second key", text.KeyWords(press))
		return nil
	}
	act := u.keys.Of(press)
	chord := strings.Contains(press, " ")
	if u.line.normal && !chord && u.viKey(k) {
		return nil
	}
	switch {
	case chord && act == "":
		u.hint = u.words.Of("%s does nothing", text.KeyWords(press))
		return nil
	case chord:
	case k.Text != "" && k.Mod&(tea.ModCtrl|tea.ModAlt) == 0:
		return u.typed(k.Text)
	case act == "" && k.Code == tea.KeySpace:
		return u.typed(" ")
	case act == "":
		u.hint = hint
		return nil
	}
	if u.line.popup.Open() {
		if taken, send := u.line.popupKey(act); send {
			return u.enter()
		} else if taken {
			return nil
		}
	}
	cmd := u.act(act, k)
	u.line.complete()
	return cmd
}

// burstEnd is how soon after an Enter in a burst a further key must come. Without one a program has typed a message.
const burstEnd = 50 * time.Millisecond

// burstOver says that some time has passed since an Enter in a burst.
type burstOver struct{ count int }

// burstOver sends what is written when no key followed the Enter.
func (u *ui) burstOver(b burstOver) tea.Cmd {
	if b.count != u.presses.count || u.screen != nil || !strings.HasSuffix(u.line.Before(), "\n") || u.line.After() != "" {
		return nil
	}
	u.line.Backspace()
	return u.enter()
}

// typed takes letters: they always go to the line, and never answer a request.
func (u *ui) typed(s string) tea.Cmd {
	if s == "?" && u.line.Empty() && u.questions.telling == nil { // of an answer it is a part
		u.open(full.NewPager("keys", helpLines(u)))
		return nil
	}
	if !strings.ContainsAny(s[:1], "/!#") {
		u.questions.begins(u.questions.Asked(u.now()), u.line.Empty())
	}
	u.questions.Typed(u.now())
	u.line.Insert(s)
	u.line.complete()
	if u.line.beginsName() {
		return readFiles(u)
	}
	return nil
}

// pasted takes a paste as one piece.
func (u *ui) pasted(s string) tea.Cmd {
	if u.screen != nil {
		u.screen.Paste(s)
		return nil
	}
	u.hint = ""
	asked := u.questions.Asked(u.now())
	u.questions.Typed(u.now())
	if strings.TrimSpace(s) == "" { // some terminals send an empty paste where the clipboard has an image
		return pasteImage(u)
	}
	if name, ok := attachDropped(u.root(), s); ok && u.o.Place.Elsewhere() {
		return addFile(u, strings.Trim(strings.TrimSpace(name), `@"`))
	} else if ok {
		u.line.Insert(name)
		return nil
	}
	u.questions.begins(asked, u.line.Empty())
	u.line.Paste(s)
	u.line.complete()
	return nil
}

// viKey takes a key of vi's normal mode, and reports whether it was one.
func (u *ui) viKey(k tea.KeyPressMsg) bool {
	taken, letter := u.line.normalKey(k)
	if !letter {
		return taken
	}
	u.questions.Typed(u.now())
	switch u.line.commands.Key(&u.line.Editor, []rune(k.Text)[0]) {
	case input.ViInserts:
		u.line.normal = false
	case input.ViUp:
		u.vertical((*line).Up)
	case input.ViDown:
		u.vertical((*line).Down)
	}
	return true
}

// edits are the actions that only change the line.
var edits = map[text.Action]func(*input.Editor){
	text.Newline: func(e *input.Editor) { e.Insert("\n") }, text.UndoTyping: (*input.Editor).Undo, text.RedoTyping: (*input.Editor).Redo,
	text.Left: (*input.Editor).Left, text.Right: (*input.Editor).Right, text.WordLeft: (*input.Editor).WordLeft, text.WordRight: (*input.Editor).WordRight,
	text.LineStart: (*input.Editor).LineStart, text.LineEnd: (*input.Editor).LineEnd, text.Backspace: (*input.Editor).Backspace, text.Delete: (*input.Editor).Delete,
	text.KillWord: (*input.Editor).KillWordLeft, text.KillWordRight: (*input.Editor).KillWordRight, text.KillStart: (*input.Editor).KillLineStart,
	text.KillEnd: (*input.Editor).KillLineEnd, text.Yank: (*input.Editor).Yank, text.YankPop: (*input.Editor).YankPop,
}

// act does what a key is bound to.
func (u *ui) act(a text.Action, k tea.KeyPressMsg) tea.Cmd {
	if edit, ok := edits[a]; ok {
		u.questions.Typed(u.now())
		edit(&u.line.Editor)
		return nil
	}
	switch a {
	case text.Send:
		return u.enter()
	case text.Queue:
		return u.altEnter()
	case text.Close:
		return u.escape()
	case text.Rewind:
		return u.escapeTwice()
	case text.Clear:
		return u.controlC()
	case text.Quit:
		if u.line.Empty() {
			return u.quit()
		}
		u.line.Delete()
	case text.ModeAction:
		setMode(u, nextMode[u.how().Mode])
	case text.Open:
		return openResults(u)
	case text.Todos:
		u.talk.showPlan = !u.talk.showPlan
		if u.talk.plan == nil {
			u.hint = "there is no to-do list yet"
		}
	case text.Background:
		toBackground(u)
	case text.History:
		searchHistory(u)
	case text.Editor:
		return editInEditor(u)
	case text.Image:
		return pasteImage(u)
	case text.Approve, text.Deny:
		return answerByChord(u, a == text.Approve, k.IsRepeat)
	case text.Redraw:
		u.redraw()
	case text.Suspend:
		return suspendProgram()
	case text.EditQueue:
		u.takeBack()
	case text.Complete:
		if u.questions.keeping != "" {
			u.questions.keepElsewhere(u.o.Place.RuleFiles())
			return nil
		}
		u.questions.Focus()
	case text.Up:
		u.vertical((*line).Up)
	case text.Down:
		u.vertical((*line).Down)
	}
	return nil
}

// answerByChord approves a request or denies it. Of several the user opens the one that is meant.
func answerByChord(u *ui, approve, again bool) tea.Cmd {
	switch q := u.questions.open(); {
	case q == nil && u.questions.Len() > 1:
		u.hint = "several requests wait: open the one that you mean first"
	case q != nil && approve && !q.seen.whole():
		u.hint = "read the rest first: PgDn shows it"
	}
	return u.answer(u.questions.Answer(approve, u.now(), again))
}

// enter sends what is written.
func (u *ui) enter() tea.Cmd {
	if u.line.backslashed() {
		return nil
	}
	written := u.line.Text()
	message := strings.TrimRightFunc(written, unicode.IsSpace)
	if strings.TrimSpace(message) == "" && u.questions.telling == nil {
		return nil
	}
	u.line.next()
	if u.questions.telling == nil { // a reason or a rule is no message
		u.hint = u.line.remember(message)
	}
	u.questions.Typed(u.now())
	switch {
	case u.questions.telling != nil:
		return u.tell(written)
	case strings.HasPrefix(message, "/") && !strings.HasPrefix(message, "//"):
		return u.command(message)
	case strings.HasPrefix(message, "!"):
		return shell(u, strings.TrimSpace(message[1:]))
	case strings.HasPrefix(message, "#"):
		return remember(u, strings.TrimSpace(strings.TrimLeft(message, "#")))
	}
	return sendWritten(u, message)
}

func (u *ui) altEnter() tea.Cmd {
	message := u.line.Text()
	switch {
	case u.turn == nil || strings.TrimSpace(message) == "" || u.questions.telling != nil:
		u.line.Insert("\n")
		return nil
	case strings.ContainsAny(message[:1], "/!#") && !strings.HasPrefix(message, "//"): // no message
		return u.enter()
	}
	u.line.next()
	u.hint = u.line.remember(message)
	return u.queue(u.written(message))
}

// escape closes the nearest open thing; on the bare line it interrupts.
func (u *ui) escape() tea.Cmd {
	switch {
	case u.line.vi && !u.line.normal && !u.questions.Focused():
		u.line.normal = true
		u.line.Rest()
	case u.questions.telling != nil:
		u.line.Clear()
		toldOver(u)
	case u.questions.Focused():
		u.questions.Blur()
	case u.turn != nil:
		u.turn.interrupt()
	case u.presses.escaped(u.now()):
		return u.escapeTwice()
	case !u.line.Empty():
		return u.again(u.words.Of("%s again clears the line", u.keys.Shown(text.Close)))
	default:
		return u.again(u.words.Of("%s again goes back to before an earlier message", u.keys.Shown(text.Close)))
	}
	return nil
}

// again shows what the same key does once more, for as long as it may hold.
func (u *ui) again(hint string) tea.Cmd {
	u.hint = hint
	return tea.Tick(max(leaveTime, escapeTime), func(time.Time) tea.Msg {
		return done{func(u *ui) tea.Cmd {
			if u.hint == hint {
				u.hint = ""
			}
			return nil
		}}
	})
}

// escapeTwice goes back to an earlier message, or clears the line.
func (u *ui) escapeTwice() tea.Cmd {
	if u.line.vi && !u.line.normal {
		return u.escape()
	}
	if u.turn != nil {
		u.turn.interrupt()
		return nil
	}
	if !u.line.Empty() {
		u.line.Clear()
		return nil
	}
	return rewind(u, "")
}

// controlC clears the line, interrupts, and the second one leaves.
func (u *ui) controlC() tea.Cmd {
	switch {
	case u.presses.twice(u.now()):
		return u.quit()
	case !u.line.Empty():
		u.line.Clear()
		toldOver(u)
	default:
		u.turn.interrupt()
		return u.again("again within a second leaves")
	}
	return nil
}

// quit leaves. A turn that runs is stopped first.
func (u *ui) quit() tea.Cmd {
	if u.turn == nil {
		u.leaving = true
		return tea.Quit
	}
	return u.hangUp()
}

// vertical moves up or down in the line, and at its ends through the history. With a question and an empty line it goes to the
// question.
func (u *ui) vertical(move func(*line, int)) {
	if u.questions.Len() > 0 && u.line.Empty() {
		u.questions.Focus()
		return
	}
	move(&u.line, rowWidth(u.width))
}
