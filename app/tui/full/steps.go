package full

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rein/app/tui/text"
)

// ErrBack is that the user pressed Esc: the step is skipped, or the one before is wanted. ErrLeft is that the user wants to leave.
var (
	ErrBack = errors.New("the user went back")
	ErrLeft = errors.New("the user left")
)

// Asker asks on a terminal.
type Asker struct {
	In    io.Reader
	Out   *os.File
	Theme *text.Theme
	Words text.Words // its own texts in the language of the user
}

// Row is one choice.
type Row struct{ Name, About string }

// Choose returns the index of the row that the user chooses. There is at least one row.
func (a Asker) Choose(ctx context.Context, title string, rows []Row) (int, error) {
	s := &step{theme: a.Theme, own: a.Words, title: title, rows: rows}
	err := errors.Join(a.run(ctx, s), s.err)
	return s.row, err
}

// Write returns what the user writes. Where it is hidden, only the number of characters can be seen.
func (a Asker) Write(ctx context.Context, title string, hidden bool) (string, error) {
	s := &step{theme: a.Theme, own: a.Words, title: title, hidden: hidden}
	err := errors.Join(a.run(ctx, s), s.err)
	return strings.TrimSpace(string(s.written)), err
}

// Show prints a line.
func (a Asker) Show(role text.Role, line string) {
	for _, l := range text.Of(role, line).Wrap(76, nil) {
		fmt.Fprintln(a.Out, "  "+a.Theme.Render(l))
	}
}

func (a Asker) run(ctx context.Context, s *step) error {
	_, err := tea.NewProgram(s, tea.WithContext(ctx), tea.WithInput(a.In), tea.WithOutput(a.Out), tea.WithoutSignalHandler()).Run()
	return err
}

// step is one question while it is on the screen.
type step struct {
	theme   *text.Theme
	own     text.Words
	title   string
	rows    []Row // nil: the user writes
	row     int
	written []rune
	hidden  bool
	over    bool
	err     error
	width   int
	held    text.Held
}

// mostRows is how many rows are shown at once.
const mostRows = 12

func (s *step) Init() tea.Cmd { return nil }

func (s *step) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.width = msg.Width
	case tea.PasteMsg:
		if s.rows == nil {
			s.written = append(s.written, []rune(strings.TrimSpace(msg.Content))...)
		}
	case tea.KeyPressMsg:
		if s.held.Came(); msg.Keystroke() == "enter" {
			return s, s.held.Wait(msg, time.Now())
		}
		s.key(msg)
	case text.Settled:
		if s.held.Counts(msg) {
			s.key(msg.Key)
		}
	}
	if s.over {
		return s, tea.Quit
	}
	return s, nil
}

func (s *step) key(k tea.KeyPressMsg) {
	n := len(s.rows)
	switch key := k.Keystroke(); {
	case key == "enter":
		s.over = n > 0 || len(s.written) > 0
	case key == "esc":
		s.over, s.err = true, ErrBack
	case key == "ctrl+c" || key == "ctrl+d":
		s.over, s.err = true, ErrLeft
	case n > 0 && (key == "up" || key == "ctrl+p" || key == "shift+tab"):
		s.row = (s.row - 1 + n) % n
	case n > 0 && (key == "down" || key == "ctrl+n" || key == "tab"):
		s.row = (s.row + 1) % n
	case n == 0 && key == "backspace":
		s.written = s.written[:max(len(s.written)-1, 0)]
	case n == 0 && key == "ctrl+u":
		s.written = nil
	case n == 0 && k.Text != "":
		s.written = append(s.written, []rune(k.Text)...)
	}
}

func (s *step) View() tea.View {
	lines, at := s.lines()
	out := make([]string, len(lines))
	for i, l := range lines {
		if s.width > 0 {
			l = l.Cut(s.width - 1)
		}
		out[i] = s.theme.Render(l)
	}
	v := tea.NewView(strings.Join(out, "\n"))
	if !s.over && s.rows == nil {
		v.Cursor = tea.NewCursor(at, len(lines)-2)
	}
	return v
}

// lines lays the step out: open, or answered.
func (s *step) lines() (lines []text.Line, caret int) {
	shown := text.Shown(string(s.written))
	if s.hidden {
		shown = strings.Repeat("*", min(len(s.written), 40))
	}
	if s.over {
		answer := shown
		switch {
		case s.err != nil:
			answer = "-"
		case s.rows != nil:
			answer = s.rows[s.row].Name
		}
		return []text.Line{{text.In(text.Dim, "  "+s.title+"  "), text.In(text.Plain, answer)}, nil}, 0
	}
	lines = []text.Line{{text.Bold(text.Plain, "  "+s.title)}}
	if s.rows == nil {
		lines = append(lines, text.Line{text.In(text.Accent, "  › "), text.In(text.Plain, shown)}, text.Of(text.Dim, "  "+s.own.Of("Enter continues   Esc goes back   Ctrl+C leaves")))
		return lines, 4 + text.Width(shown)
	}
	name := 0
	for _, r := range s.rows {
		name = max(name, text.Width(r.Name))
	}
	first := max(s.row-mostRows+1, 0)
	for i := first; i < min(first+mostRows, len(s.rows)); i++ {
		r, mark := s.rows[i], "    "
		if i == s.row {
			mark = "  › "
		}
		l := text.Line{text.In(text.Accent, mark), text.In(text.Plain, r.Name)}.Pad(name+8, text.Style{})
		if l = append(l, text.In(text.Dim, r.About)); i == s.row {
			l = l.On(text.Chosen)
		}
		lines = append(lines, l)
	}
	if more := len(s.rows) - mostRows; more > 0 {
		lines = append(lines, text.Of(text.Dim, "    "+s.own.Of("%d of %d", s.row+1, len(s.rows))))
	}
	return append(lines, text.Of(text.Dim, "  "+s.own.Of("arrows choose   Enter continues   Esc goes back   Ctrl+C leaves"))), 0
}
