package text

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// ShowPresses shows what the terminal sends for each key, and what the key does in the chat, until the user presses Ctrl+C twice or ctx
// is done.
func ShowPresses(ctx context.Context, k Keys, in io.Reader, out io.Writer) error {
	_, err := tea.NewProgram(&presses{keys: k}, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out)).Run()
	if errors.Is(err, tea.ErrInterrupted) {
		return nil
	}
	return err
}

// mostPresses is how many of the last keys are shown.
const mostPresses = 15

// presses is the program of Press.
type presses struct {
	keys  Keys
	lines []string
	last  string // the key before
	first string // of a chord; "": none
}

// Init waits for the first key.
func (*presses) Init() tea.Cmd { return nil }

// View shows the last keys, and says how to leave.
func (p *presses) View() tea.View {
	return tea.NewView(strings.Join(append(p.lines[:len(p.lines):len(p.lines)], "Press a key to see what this terminal sends. Ctrl+C twice leaves."), "\n"))
}

func (p *presses) show(line string) {
	p.lines = append(p.lines, line)
	p.lines = p.lines[max(len(p.lines)-mostPresses, 0):]
}

// Update takes what came.
func (p *presses) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		key := msg.Keystroke()
		if key == "ctrl+c" && p.last == key {
			return p, tea.Quit
		}
		p.last = key
		p.show(p.line(key, msg.Text))
	case tea.PasteMsg:
		p.show(fmt.Sprintf("a paste of %d bytes", len(msg.Content)))
	case tea.KeyboardEnhancementsMsg:
		p.show("this terminal tells Shift+Enter from Enter")
	}
	return p, nil
}

// line says what a key is and does.
func (p *presses) line(key, typed string) string {
	whole := strings.TrimSpace(p.first + " " + key)
	if p.first = ""; p.keys.Begins(whole) {
		p.first = whole
	}
	does := "nothing"
	switch action := p.keys.Of(whole); {
	case p.first != "":
		does = "begins a chord"
	case action != "":
		does = string(action)
	case typed != "" && whole == key:
		does = fmt.Sprintf("types %q", typed)
	}
	return fmt.Sprintf("%-24s %s", whole, does)
}
