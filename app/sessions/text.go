package sessions

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"rein/app/tui/block"
)

// pageMarkdown renders the messages of a page. HTML in them stays text: nothing parses it, so it is escaped like other text. Tables and struck text
// are found here: goldmark's extensions compile expressions, which made each start of the program slower by a seventh.
var (
	pageMarkdown = sync.OnceValue(func() goldmark.Markdown {
		return markdown(without(parser.DefaultBlockParsers(), parser.NewHTMLBlockParser()))
	})
	cellMarkdown = sync.OnceValue(func() goldmark.Markdown {
		return markdown([]util.PrioritizedValue{util.Prioritized(parser.NewParagraphParser(), 100)})
	})
)

func markdown(blocks []util.PrioritizedValue) goldmark.Markdown {
	return goldmark.New(
		goldmark.WithParser(parser.NewParser(
			parser.WithBlockParsers(blocks...),
			parser.WithInlineParsers(append(without(parser.DefaultInlineParsers(), parser.NewRawHTMLParser()), util.Prioritized(struckText{}, 500))...),
			parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
			parser.WithASTTransformers(util.Prioritized(pageShape{}, 100)),
		)),
		goldmark.WithRendererOptions(html.WithHardWraps()),
	)
}

func without(all []util.PrioritizedValue, one any) []util.PrioritizedValue {
	return slices.DeleteFunc(all, func(v util.PrioritizedValue) bool { return v.Value == one })
}

// struckText reads what is between two tildes and two more of the same line.
type struckText struct{}

func (struckText) Trigger() []byte { return []byte("~") }

func (struckText) Parse(_ ast.Node, from text.Reader, _ parser.Context) ast.Node {
	line, _ := from.PeekLine()
	rest, begins := strings.CutPrefix(string(line), "~~")
	inner, _, ends := strings.Cut(rest, "~~")
	if !begins || !ends || inner == "" {
		return nil
	}
	from.Advance(len("~~") + len(inner) + len("~~"))
	return asHTML("<del>" + escapeHTML(inner) + "</del>")
}

// asHTML is a node that is written as it is.
func asHTML(page string) ast.Node {
	n := ast.NewString([]byte(page))
	n.SetCode(true)
	return n
}

// tableIn is the table in the lines of a paragraph, with what is above it; nil: there is none.
func tableIn(lines string) ast.Node {
	before, rows, aligns := block.FindTable(strings.Split(strings.TrimRight(lines, "\n"), "\n"))
	if rows == nil {
		return nil
	}
	var b strings.Builder
	if len(before) > 0 {
		htmlText(&b, strings.Join(before, "\n"))
	}
	b.WriteString("<table>\n")
	for i, row := range rows {
		tag := "td"
		if i == 0 {
			tag = "th"
		}
		b.WriteString("<tr>")
		for c, align := range aligns {
			cell := ""
			if c < len(row) {
				cell = row[c]
			}
			fmt.Fprintf(&b, `<%s align="%v">`, tag, align)
			var inner strings.Builder
			_ = cellMarkdown().Convert([]byte(cell), &inner) // a builder takes all
			b.WriteString(strings.TrimSuffix(strings.TrimPrefix(inner.String(), "<p>"), "</p>\n") + "</" + tag + ">")
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</table>\n")
	whole := ast.NewTextBlock()
	whole.AppendChild(whole, asHTML(b.String()))
	return whole
}

// pageShape makes tables, puts headings below that of the message, and makes links of images: a page loads nothing.
type pageShape struct{}

// Transform changes a document before it is rendered.
func (pageShape) Transform(doc *ast.Document, from text.Reader, _ parser.Context) {
	var images []*ast.Image
	tables := map[ast.Node]ast.Node{}                                           // by the paragraph in whose place they are
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // it returns what this returns: nothing fails
		switch n := n.(type) {
		case *ast.Heading:
			if entering {
				n.Level = min(n.Level+2, 6)
			}
		case *ast.Paragraph:
			if lines := string(n.Lines().Value(from.Source())); entering && strings.Contains(lines, "|") {
				if t := tableIn(lines); t != nil {
					tables[n] = t
				}
			}
		case *ast.Image:
			if entering {
				images = append(images, n)
			}
		}
		return ast.WalkContinue, nil
	})
	for paragraph, table := range tables {
		paragraph.Parent().ReplaceChild(paragraph.Parent(), paragraph, table)
	}
	for _, image := range images {
		link := ast.NewLink()
		link.Destination = image.Destination
		for child := image.FirstChild(); child != nil; child = image.FirstChild() {
			link.AppendChild(link, child)
		}
		image.Parent().ReplaceChild(image.Parent(), image, link)
	}
}

// htmlText writes a message as HTML.
func htmlText(b *strings.Builder, message string) {
	_ = pageMarkdown().Convert([]byte(visible(strings.TrimSpace(message))), b) // a builder takes all
}
