package shell

import (
	"slices"
	"strconv"
	"strings"
)

// splitItems splits text into items as xargs does without a delimiter: quotes and backslashes keep blanks together. Each line has its
// items. With whole, a line is one item, without the blanks before it. ok is false where xargs refuses the text.
func splitItems(text string, whole bool) (lines [][]string, ok bool) {
	var line []string
	var item strings.Builder
	open := false // item has begun
	end := func() {
		if open {
			line = append(line, item.String())
		}
		item.Reset()
		open = false
	}
	joined := false // the line ended in a blank: with -L the next one belongs to it
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			end()
			joined = !whole && i > 0 && (text[i-1] == ' ' || text[i-1] == '\t')
			if len(line) > 0 && !joined {
				lines, line = append(lines, line), nil
			}
		case (c == ' ' || c == '\t') && (!whole || !open):
			end()
		case c == '\'' || c == '"':
			n := strings.IndexByte(text[i+1:], c)
			if n < 0 || strings.IndexByte(text[i+1:i+1+n], '\n') >= 0 {
				return nil, false
			}
			item.WriteString(text[i+1 : i+1+n])
			open = true
			i += n + 1
		case c == '\\':
			if i++; i == len(text) {
				return nil, false
			}
			item.WriteByte(text[i])
			open = true
		default:
			item.WriteByte(c)
			open = true
		}
	}
	if end(); len(line) > 0 {
		lines = append(lines, line)
	}
	return lines, true
}

// itemChunks says how xargs shares items among its calls: the values of -n and -L, empty where they are not given. With Whole (-I),
// each call gets a line.
type itemChunks struct {
	Items, Lines string
	Whole        bool
}

// Of are the items of each call.
func (c itemChunks) Of(lines [][]string) (calls [][]string) {
	most := 1
	switch {
	case c.Whole:
	case c.Items != "":
		most = atLeast1(c.Items)
	case c.Lines != "":
		most = atLeast1(c.Lines)
	default:
		most = len(lines) + 1
	}
	if c.Items != "" && !c.Whole {
		var single [][]string
		for _, item := range slices.Concat(lines...) {
			single = append(single, []string{item})
		}
		lines = single
	}
	for chunk := range slices.Chunk(lines, most) {
		calls = append(calls, slices.Concat(chunk...))
	}
	return calls
}

func atLeast1(s string) int {
	n, _ := strconv.Atoi(s) // 0 where it is no number
	return max(1, n)
}
