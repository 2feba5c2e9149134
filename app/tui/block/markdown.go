package block

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	gtext "github.com/yuin/goldmark/text"

	"rein/app/tui/text"
)

// MarkdownOptions say how Markdown is laid out.
type MarkdownOptions struct {
	Width int  // cells of the longest row
	Wide  bool // paragraphs stay one line each: the terminal wraps them
}

// MarkdownRenderer turns Markdown into lines. It may be used by one goroutine at a time.
type MarkdownRenderer struct {
	parser parser.Parser
}

// NewMarkdown makes a renderer.
func NewMarkdown() *MarkdownRenderer {
	return &MarkdownRenderer{parser: parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	)}
}

// Lines lays a whole text out. It has no blank line at the start or the end.
func (r *MarkdownRenderer) Lines(source string, o MarkdownOptions) []text.Line {
	src := []byte(source)
	b := builder{renderer: r, src: src, o: o}
	b.o.Width = max(b.o.Width, 8)
	return trim(b.blocks(r.parser.Parse(gtext.NewReader(src)), b.o.Width, false))
}

func trim(lines []text.Line) []text.Line {
	for len(lines) > 0 && len(lines[0]) == 0 {
		lines = lines[1:]
	}
	for len(lines) > 0 && len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// builder lays one document out.
type builder struct {
	renderer *MarkdownRenderer
	src      []byte
	o        MarkdownOptions
}

// blocks lays the children of a node out. Blocks have a blank line between them, except in tight lists.
func (b *builder) blocks(n ast.Node, width int, tight bool) (out []text.Line) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		lines := b.block(c, width)
		if len(lines) == 0 {
			continue
		}
		if len(out) > 0 && !tight {
			out = append(out, nil)
		}
		out = append(out, lines...)
	}
	return out
}

func (b *builder) block(n ast.Node, width int) []text.Line {
	switch n.Kind() {
	case ast.KindHeading:
		return b.wrapped(n, width, text.Style{Role: text.Accent, Bold: true})
	case ast.KindParagraph, ast.KindTextBlock:
		return b.paragraph(n, width)
	case ast.KindFencedCodeBlock:
		return codeBlock(b.raw(n), string(n.(*ast.FencedCodeBlock).Language(b.src)), width)
	case ast.KindCodeBlock, ast.KindHTMLBlock:
		return codeBlock(b.raw(n), "", width)
	case ast.KindBlockquote:
		return prefixed(b.blocks(n, width-2, false), text.Of(text.Dim, "> "), text.Of(text.Dim, "> "))
	case ast.KindList:
		return b.list(n.(*ast.List), width)
	case ast.KindThematicBreak:
		return []text.Line{text.Of(text.Dim, strings.Repeat("-", min(width, 20)))}
	}
	return b.blocks(n, width, false)
}

func (b *builder) raw(n ast.Node) string {
	var s strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		s.Write(line.Value(b.src))
	}
	return s.String()
}

func (b *builder) wrapped(n ast.Node, width int, style text.Style) (out []text.Line) {
	for _, l := range b.inline(n, style) {
		if b.o.Wide && n.Parent().Kind() == ast.KindDocument {
			out = append(out, l)
			continue
		}
		out = append(out, l.Wrap(width, nil)...)
	}
	return out
}

// prefixed puts marks before the lines of a block.
func prefixed(lines []text.Line, first, others text.Line) []text.Line {
	out := make([]text.Line, len(lines))
	for i, l := range lines {
		mark := others
		if i == 0 {
			mark = first
		}
		if len(l) == 0 && strings.TrimSpace(mark.String()) == "" {
			continue
		}
		out[i] = text.Join(mark, l)
	}
	return out
}

// codeIndent is how far code is moved to the right.
const codeIndent = 2

// codeBlock lays program text out, with colours where the language is known. Rows that are too wide continue in the next row.
func codeBlock(source, language string, width int) (out []text.Line) {
	h := newHighlighter(language)
	for _, l := range text.Lines(source) {
		out = append(out, codeRows(h.Line(l), width)...)
	}
	return out
}

func codeRows(l text.Line, width int) []text.Line {
	if len(l) == 0 {
		return []text.Line{nil}
	}
	return text.Indent(l.Chop(width-codeIndent), codeIndent)
}
