package block

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"rein/app/tui/text"
)

// columnGap is between two columns of a table.
const columnGap = 2

// Align is where the text of a column is.
type Align uint8

const (
	AlignLeft Align = iota
	AlignCenter
	AlignRight
)

// String is the name that HTML has for it.
func (a Align) String() string { return [...]string{"left", "center", "right"}[a] }

// FindTable finds a table in the lines of a paragraph: a row, and below it a row of dashes with as many columns. before are
// the lines above it. goldmark's own extension for tables would make every start of the program 1.4 ms slower.
func FindTable(lines []string) (before []string, rows [][]string, aligns []Align) {
	for i := 0; i+1 < len(lines); i++ {
		head := cells(lines[i])
		if aligns = delimiters(lines[i+1]); len(aligns) == 0 || len(aligns) != len(head) || !strings.Contains(lines[i+1], "|") && len(head) < 2 {
			continue
		}
		rows = [][]string{head}
		for _, l := range lines[i+2:] {
			rows = append(rows, cells(l))
		}
		return lines[:i], rows, aligns
	}
	return nil, nil, nil
}

// cells splits a row at its pipes, but not at those that a backslash or program text protects.
func cells(line string) (out []string) {
	line = strings.TrimSpace(line)
	line = strings.TrimPrefix(line, "|")
	if strings.HasSuffix(line, "|") && !strings.HasSuffix(line, `\|`) {
		line = line[:len(line)-1]
	}
	code, start := false, 0
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\':
			i++
		case line[i] == '`':
			code = !code
		case line[i] == '|' && !code:
			out, start = append(out, strings.TrimSpace(line[start:i])), i+1
		}
	}
	return append(out, strings.TrimSpace(line[start:]))
}

// delimiters reads a row of dashes and colons; none: it is no such row.
func delimiters(line string) (out []Align) {
	for _, c := range cells(line) {
		left, right := strings.HasPrefix(c, ":"), strings.HasSuffix(c, ":")
		if dashes := strings.Trim(c, ":"); dashes == "" || strings.Trim(dashes, "-") != "" {
			return nil
		}
		switch {
		case left && right:
			out = append(out, AlignCenter)
		case right:
			out = append(out, AlignRight)
		default:
			out = append(out, AlignLeft)
		}
	}
	return out
}

// paragraph lays a paragraph out, or the table in it.
func (b *builder) paragraph(n ast.Node, width int) []text.Line {
	raw := strings.TrimRight(b.raw(n), "\n")
	if !strings.Contains(raw, "|") || !strings.Contains(raw, "-") {
		return b.wrapped(n, width, text.Style{})
	}
	before, rows, aligns := FindTable(strings.Split(raw, "\n"))
	if rows == nil {
		return b.wrapped(n, width, text.Style{})
	}
	var out []text.Line
	if len(before) > 0 {
		out = append(b.inner(strings.Join(before, "\n"), width), nil)
	}
	return append(out, b.table(rows, aligns, width)...)
}

// inner lays a text out that is part of this one.
func (b *builder) inner(source string, width int) []text.Line {
	return b.renderer.Lines(source, MarkdownOptions{Width: width})
}

// table lays a table out with columns as wide as their cells; when that is too wide, the widest columns are wrapped.
func (b *builder) table(source [][]string, aligns []Align, width int) (out []text.Line) {
	rows := make([][]text.Line, len(source))
	for i, row := range source {
		for _, c := range row[:min(len(row), len(aligns))] {
			cell := text.Join(b.inner(strings.ReplaceAll(c, `\|`, "|"), 1<<16)...)
			for j := range cell {
				cell[j].Bold = cell[j].Bold || i == 0
			}
			rows[i] = append(rows[i], cell)
		}
	}
	widths := columnWidths(rows, width)
	for i, row := range rows {
		out = append(out, tableRow(row, widths, aligns)...)
		if i == 0 {
			var rule text.Line
			for c, w := range widths {
				if c > 0 {
					rule = append(rule, text.In(text.Plain, strings.Repeat(" ", columnGap)))
				}
				rule = append(rule, text.In(text.Dim, strings.Repeat("-", w)))
			}
			out = append(out, rule)
		}
	}
	return out
}

func columnWidths(rows [][]text.Line, width int) []int {
	var widths []int
	for _, row := range rows {
		for c, cell := range row {
			if c == len(widths) {
				widths = append(widths, 1)
			}
			widths[c] = max(widths[c], cell.Width())
		}
	}
	total := columnGap * max(len(widths)-1, 0)
	for _, w := range widths {
		total += w
	}
	for total > width {
		widest := 0
		for c, w := range widths {
			if w > widths[widest] {
				widest = c
			}
		}
		if len(widths) == 0 || widths[widest] <= 4 {
			break
		}
		widths[widest]--
		total--
	}
	return widths
}

// tableRow lays one row of cells out, in as many lines as its highest cell needs.
func tableRow(row []text.Line, widths []int, aligns []Align) []text.Line {
	columns, height := make([][]text.Line, len(widths)), 1
	for c, w := range widths {
		if c < len(row) {
			columns[c] = row[c].Wrap(w, nil)
		}
		height = max(height, len(columns[c]))
	}
	out := make([]text.Line, height)
	for y := range out {
		var line text.Line
		for c, w := range widths {
			var cell text.Line
			if y < len(columns[c]) {
				cell = columns[c][y]
			}
			if c > 0 {
				line = append(line, text.In(text.Plain, strings.Repeat(" ", columnGap)))
			}
			if before := gapBefore(aligns[c], w-cell.Width()); before > 0 {
				line = append(line, text.In(text.Plain, strings.Repeat(" ", before)))
				w -= before
			}
			line = append(line, cell...)
			if c < len(widths)-1 {
				line = text.Join(line, text.Line{}.Pad(w-cell.Width(), text.Style{}))
			}
		}
		out[y] = line
	}
	return out
}

func gapBefore(a Align, free int) int {
	switch {
	case free <= 0:
		return 0
	case a == AlignRight:
		return free
	case a == AlignCenter:
		return free / 2
	}
	return 0
}
