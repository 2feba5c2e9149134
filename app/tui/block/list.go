package block

import (
	"fmt"

	"github.com/yuin/goldmark/ast"

	"rein/app/tui/text"
)

// list lays a list out. Numbers are aligned at the right.
func (b *builder) list(l *ast.List, width int) (out []text.Line) {
	number, digits := l.Start, len(fmt.Sprint(l.Start+l.ChildCount()-1))
	for item := l.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "- "
		if l.IsOrdered() {
			mark = fmt.Sprintf("%*d%c ", digits, number, l.Marker)
			number++
		}
		lines := b.blocks(item, width-len(mark), l.IsTight)
		if len(lines) == 0 {
			lines = []text.Line{nil}
		}
		if len(out) > 0 && !l.IsTight {
			out = append(out, nil)
		}
		out = append(out, prefixed(lines, text.Of(text.Dim, mark), text.Of(text.Plain, fmt.Sprintf("%*s", len(mark), "")))...)
	}
	return out
}
