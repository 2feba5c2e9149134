package full

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rein/app/tui/text"
)

// ErrNothing is that the user left without a choice.
var ErrNothing = errors.New("nothing was chosen")

// Choose lets the user choose one of the entries on the whole screen of a terminal. It fails with ErrNothing when the user
// leaves.
func Choose(ctx context.Context, in io.Reader, out io.Writer, title string, entries []Entry) (Entry, error) {
	c := &chooser{Picker: NewPicker(title, entries), keys: text.DefaultKeys(), theme: text.UnknownTheme(text.DepthOf(os.Getenv)), width: 80, height: 24}
	_, err := tea.NewProgram(c, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out), tea.WithoutSignalHandler()).Run()
	if err == nil && !c.chose {
		err = ErrNothing
	}
	e, _ := c.Chosen()
	return e, err
}

// chooser is a picker without a chat around it.
type chooser struct {
	*Picker
	keys          text.Keys
	theme         *text.Theme
	width, height int
	chose, over   bool
	held          text.Held
}

func (c *chooser) Init() tea.Cmd { return nil }

func (c *chooser) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		c.width, c.height = msg.Width, msg.Height
	case tea.PasteMsg:
		c.Paste(msg.Content)
	case tea.KeyPressMsg:
		if c.held.Came(); msg.Keystroke() == "enter" {
			return c, c.held.Wait(msg, time.Now())
		}
		c.press(msg)
	case text.Settled:
		if c.held.Counts(msg) {
			c.press(msg.Key)
		}
	}
	if c.over {
		return c, tea.Quit
	}
	return c, nil
}

func (c *chooser) press(k tea.KeyPressMsg) {
	switch key := k.Keystroke(); key {
	case "enter":
		_, c.chose = c.Chosen()
		c.over = c.chose
	case "esc", "ctrl+c", "ctrl+d":
		c.over = true
	default:
		c.over = c.Key(c.keys.Of(key), key, k.Text)
	}
}

func (c *chooser) View() tea.View {
	if c.over {
		return tea.NewView("")
	}
	lines, at := c.Lines(c.width, c.height)
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = c.theme.Render(l.Cut(c.width))
	}
	v := tea.NewView(strings.Join(out, "\n"))
	v.AltScreen = true
	if at != nil {
		v.Cursor = tea.NewCursor(at.X, at.Y)
	}
	return v
}
