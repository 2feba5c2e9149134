package tui

import (
	"strings"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"rein/tui/attach"
	"rein/tui/block"
	"rein/tui/complete"
	"rein/tui/full"
	"rein/tui/keys"
	"rein/tui/signals"
)

// key takes one key press.
func (u *ui) key(k tea.KeyPressMsg) tea.Cmd {
	if u.screen != nil {
		return u.screenKey(k)
	}
	if k.Keystroke() == "ctrl+j" && u.now().Sub(u.began) < typedAhead {
		k = tea.KeyPressMsg{Code: tea.KeyEnter}
	}
	hint := u.hint
	u.hint = ""
	u.pressedKeys++
	if u.pastes(k) {
		u.editor.Insert("\n")
		count := u.pressedKeys
		return tea.Tick(burstEnd, func(time.Time) tea.Msg { return burstOver{count} })
	}
	if by := map[string]int{"pgdown": 1, "pgup": -1}[k.Keystroke()]; by != 0 {
		u.questions.Scroll(by)
		return nil
	}
	if u.questions.Focused() {
		if cmd, taken := u.questionKey(k); taken {
			return cmd
		}
	}
	press := u.chorded(k.Keystroke())
	if u.chord != "" {
		return nil
	}
	act := u.keys.Of(press)
	chord := strings.Contains(press, " ")
	if u.normal && !chord && u.viKey(k) {
		return nil
	}
	switch {
	case chord && act == "":
		u.hint = keys.Words(press) + " does nothing"
		return nil
	case chord:
	case k.Text != "" && k.Mod&(tea.ModCtrl|tea.ModAlt) == 0:
		u.typed(k.Text)
		return nil
	case act == "" && k.Code == tea.KeySpace:
		u.typed(" ")
		return nil
	case act == "":
		u.hint = hint
		return nil
	}
	if u.popup.Open() {
		if cmd, taken := u.popupKey(act); taken {
			return cmd
		}
	}
	cmd := u.act(act, k)
	u.complete()
	return cmd
}

// typedAhead is for how long after the start Ctrl+J is Enter: a terminal makes it of an Enter that is pressed before the program has
// set the terminal's mode.
const typedAhead = time.Second

// chordTime is how long a chord waits for its second key.
const chordTime = time.Second

// chorded returns the key, after the first key of a chord where that came just before. u.chord is set where one has begun.
func (u *ui) chorded(key string) string {
	now := u.now()
	if u.chord != "" && now.Sub(u.chordAt) <= chordTime {
		key = u.chord + " " + key
	}
	if u.chord = ""; u.keys.Begins(key) {
		u.chord, u.chordAt = key, now
		u.hint = keys.Words(key) + " and a second key"
	}
	return key
}

// burstEnd is how soon after an Enter in a burst a further key must come. Without one a program has typed a message.
const burstEnd = 50 * time.Millisecond

// burstOver says that some time has passed since an Enter in a burst.
type burstOver struct{ count int }

// burstOver sends what is written when no key followed the Enter.
func (u *ui) burstOver(b burstOver) tea.Cmd {
	if b.count != u.pressedKeys || u.screen != nil || !strings.HasSuffix(u.editor.Before(), "\n") || u.editor.After() != "" {
		return nil
	}
	u.editor.Backspace()
	return u.enter()
}

// pastes reports whether the key is an Enter within a paste.
func (u *ui) pastes(k tea.KeyPressMsg) bool {
	return u.burst.Pressed(u.now()) && k.Code == tea.KeyEnter && k.Mod == 0 && !u.questions.Focused()
}

// typed takes letters: they always go to the line, and never answer a question.
func (u *ui) typed(s string) {
	if s == "?" && u.editor.Empty() && u.turn == nil {
		u.open(full.NewPager("keys", u.helpLines()))
		return
	}
	u.questions.Typed(u.now())
	u.editor.Insert(s)
	u.complete()
}

// pasted takes a paste as one piece.
func (u *ui) pasted(s string) tea.Cmd {
	if u.screen != nil {
		u.screen.Paste(s)
		return nil
	}
	u.hint = ""
	u.questions.Typed(u.now())
	if strings.TrimSpace(s) == "" { // some terminals send an empty paste where the clipboard has an image
		return u.pasteImage()
	}
	if name, ok := attach.Dropped(u.root(), s); ok && u.o.Harness == nil {
		return u.addFile(strings.Trim(strings.TrimSpace(name), `@"`))
	} else if ok {
		u.editor.Insert(name)
		return nil
	}
	u.editor.Paste(s)
	u.complete()
	return nil
}

// questionKey takes a key while the questions have the keys. Letters go to the line.
func (u *ui) questionKey(k tea.KeyPressMsg) (tea.Cmd, bool) {
	switch u.keys.Of(k.Keystroke()) {
	case keys.Up:
		u.questions.Move(-1)
	case keys.Down:
		u.questions.Move(1)
	case keys.Left:
		u.questions.Side(-1)
	case keys.Right:
		u.questions.Side(1)
	case keys.Complete:
		u.questions.Move(1)
	case keys.Close:
		u.questions.Blur()
	case keys.Send:
		return u.answer(u.questions.Enter(u.now(), k.IsRepeat)), true
	default:
		if k.Code == tea.KeySpace && k.Mod == 0 {
			u.questions.Mark()
			return nil, true
		}
		return nil, false
	}
	return nil, true
}

// edits are the actions that only change the line.
var edits = map[keys.Action]func(*ui){
	keys.Newline: func(u *ui) { u.editor.Insert("\n") }, keys.UndoTyping: func(u *ui) { u.editor.Undo() }, keys.RedoTyping: func(u *ui) { u.editor.Redo() },
	keys.Left: func(u *ui) { u.editor.Left() }, keys.Right: func(u *ui) { u.editor.Right() },
	keys.WordLeft: func(u *ui) { u.editor.WordLeft() }, keys.WordRight: func(u *ui) { u.editor.WordRight() },
	keys.LineStart: func(u *ui) { u.editor.LineStart() }, keys.LineEnd: func(u *ui) { u.editor.LineEnd() },
	keys.Backspace: func(u *ui) { u.editor.Backspace() }, keys.Delete: func(u *ui) { u.editor.Delete() },
	keys.KillWord: func(u *ui) { u.editor.KillWordLeft() }, keys.KillWordRight: func(u *ui) { u.editor.KillWordRight() },
	keys.KillStart: func(u *ui) { u.editor.KillLineStart() }, keys.KillEnd: func(u *ui) { u.editor.KillLineEnd() },
	keys.Yank: func(u *ui) { u.editor.Yank() }, keys.YankPop: func(u *ui) { u.editor.YankPop() },
}

// act does what a key is bound to.
func (u *ui) act(a keys.Action, k tea.KeyPressMsg) tea.Cmd {
	if edit, ok := edits[a]; ok {
		u.questions.Typed(u.now())
		edit(u)
		return nil
	}
	switch a {
	case keys.Send:
		return u.enter()
	case keys.Queue:
		return u.altEnter()
	case keys.Close:
		return u.escape()
	case keys.Rewind:
		return u.escapeTwice()
	case keys.Clear:
		return u.controlC()
	case keys.Quit:
		if u.editor.Empty() {
			return u.quit()
		}
		u.editor.Delete()
	case keys.Mode:
		u.nextMode()
	case keys.Open:
		return u.openResults()
	case keys.Todos:
		u.showPlan = !u.showPlan
		if u.talk.plan == nil {
			u.hint = "there is no to-do list yet"
		}
	case keys.Background:
		u.toBackground()
	case keys.History:
		u.searchHistory()
	case keys.Editor:
		return u.editInEditor()
	case keys.Image:
		return u.pasteImage()
	case keys.Approve, keys.Deny:
		return u.answer(u.questions.Answer(a == keys.Approve, u.now(), k.IsRepeat))
	case keys.Redraw:
		u.redraw()
	case keys.Suspend:
		return signals.Suspend()
	case keys.EditQueue:
		u.takeBack()
	case keys.Complete:
		if u.keeping != "" {
			u.keepElsewhere()
			return nil
		}
		u.questions.Focus()
	case keys.Up:
		u.up()
	case keys.Down:
		u.down()
	}
	return nil
}

// enter sends what is written.
func (u *ui) enter() tea.Cmd {
	before := u.editor.Before()
	if strings.HasSuffix(before, "\\") && u.editor.After() == "" {
		u.editor.Backspace()
		u.editor.Insert("\n")
		return nil
	}
	message := strings.TrimRightFunc(u.editor.Text(), unicode.IsSpace)
	if strings.TrimSpace(message) == "" && u.telling == nil {
		return nil
	}
	u.editor, u.normal = u.editor.Next(), false
	u.popup = complete.Popup{}
	if u.telling == nil { // a reason or a rule is no message
		u.remembered(message)
	}
	u.questions.Typed(u.now())
	switch {
	case u.telling != nil:
		return u.tell(message)
	case strings.HasPrefix(message, "/") && !strings.HasPrefix(message, "//"):
		return u.command(message)
	case strings.HasPrefix(message, "!"):
		return u.shell(strings.TrimSpace(message[1:]))
	case strings.HasPrefix(message, "#"):
		return u.remember(strings.TrimSpace(strings.TrimLeft(message, "#")))
	}
	return u.sendWritten(message)
}

func (u *ui) altEnter() tea.Cmd {
	message := u.editor.Text()
	if u.turn == nil || strings.TrimSpace(message) == "" {
		u.editor.Insert("\n")
		return nil
	}
	u.editor = u.editor.Next()
	u.remembered(message)
	return u.queue(message)
}

// remembered puts a message into the history.
func (u *ui) remembered(message string) {
	if err := u.history.Add(message); err != nil {
		u.hint = "the history cannot be written: " + err.Error()
	}
}

// escape closes the nearest open thing; on the bare line it interrupts.
func (u *ui) escape() tea.Cmd {
	switch {
	case u.vi && !u.normal && !u.questions.Focused():
		u.normal = true
		u.editor.Rest()
	case u.telling != nil:
		u.tellNothing()
		u.editor.Clear()
	case u.questions.Focused():
		u.questions.Blur()
	case u.turn != nil:
		u.interrupt()
	case !u.editor.Empty():
		u.hint = u.keys.Shown(keys.Clear) + " clears the line"
	}
	return nil
}

// controlC clears the line, interrupts, and the second one leaves.
func (u *ui) controlC() tea.Cmd {
	now := u.now()
	again := now.Sub(u.pressed) < leaveTime
	u.pressed = now
	switch {
	case again:
		return u.quit()
	case !u.editor.Empty():
		u.editor.Clear()
		u.tellNothing()
	case u.turn != nil && !u.turn.stops:
		u.interrupt()
		u.hint = "again within a second leaves"
	default:
		u.hint = "again within a second leaves"
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

// up moves in the line; in its first row it goes back in the history. With a question and an empty line it goes to the
// question.
func (u *ui) up() {
	if u.questions.Len() > 0 && u.editor.Empty() {
		u.questions.Focus()
		return
	}
	if u.editor.Up(max(u.width-4, 8)) {
		return
	}
	if s, ok := u.history.Older(u.editor.Text()); ok {
		u.editor.Set(s)
	}
}

func (u *ui) down() {
	if u.questions.Len() > 0 && u.editor.Empty() {
		u.questions.Focus()
		return
	}
	if u.editor.Down(max(u.width-4, 8)) {
		return
	}
	if s, ok := u.history.Newer(); ok {
		u.editor.Set(s)
	}
}

// nextMode goes to the next mode. The mode without questions is never reached by this key.
func (u *ui) nextMode() {
	next := map[string]string{"supervised": "plan", "plan": "read-only", "read-only": "supervised", "auto": "supervised", "full": "supervised"}[u.how().Mode]
	u.setMode(next)
}

func (u *ui) setMode(mode string) {
	if err := u.session.SetMode(mode); err != nil {
		u.hint = err.Error()
		return
	}
	u.hint = "mode: " + block.Mode(u.how().Mode)
	if u.turn != nil {
		u.hint += ", from the next step"
	}
}
