package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"rein/tui/text"
)

var tableKind = extast.KindTable

// columnGap is between two columns of a table.
const columnGap = 2

// table lays a table out with columns as wide as their cells; when that is too wide, the widest columns are wrapped.
func (b *builder) table(n ast.Node, width int) (out []text.Line) {
	var rows [][]text.Line
	aligns := n.(*extast.Table).Alignments
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		style := text.Style{Bold: row.Kind() == extast.KindTableHeader}
		var cells []text.Line
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, text.Join(b.inline(cell, style)...))
		}
		rows = append(rows, cells)
	}
	widths := columnWidths(rows, width)
	for i, cells := range rows {
		out = append(out, tableRow(cells, widths, aligns)...)
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
	for _, cells := range rows {
		for c, cell := range cells {
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
func tableRow(cells []text.Line, widths []int, aligns []extast.Alignment) []text.Line {
	columns, height := make([][]text.Line, len(widths)), 1
	for c, w := range widths {
		if c < len(cells) {
			columns[c] = cells[c].Wrap(w, nil)
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
			if before := gapBefore(aligns, c, w-cell.Width()); before > 0 {
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

func gapBefore(aligns []extast.Alignment, column, free int) int {
	switch {
	case column >= len(aligns) || free <= 0:
		return 0
	case aligns[column] == extast.AlignRight:
		return free
	case aligns[column] == extast.AlignCenter:
		return free / 2
	}
	return 0
}
