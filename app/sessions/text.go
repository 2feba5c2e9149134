package sessions

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// pageMarkdown renders the messages of a page. HTML in them stays text: nothing parses it, so it is escaped like other text.
var pageMarkdown = goldmark.New(
	goldmark.WithParser(parser.NewParser(
		parser.WithBlockParsers(without(parser.DefaultBlockParsers(), parser.NewHTMLBlockParser())...),
		parser.WithInlineParsers(without(parser.DefaultInlineParsers(), parser.NewRawHTMLParser())...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		parser.WithASTTransformers(util.Prioritized(pageShape{}, 100)),
	)),
	goldmark.WithExtensions(extension.Table, extension.Strikethrough),
	goldmark.WithRendererOptions(html.WithHardWraps()),
)

func without(all []util.PrioritizedValue, one any) []util.PrioritizedValue {
	return slices.DeleteFunc(all, func(v util.PrioritizedValue) bool { return v.Value == one })
}

// pageShape puts headings below that of the message, and makes links of images: a page loads nothing.
type pageShape struct{}

// Transform changes a document before it is rendered.
func (pageShape) Transform(doc *ast.Document, _ text.Reader, _ parser.Context) {
	var images []*ast.Image
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // it returns what this returns: nothing fails
		switch n := n.(type) {
		case *ast.Heading:
			if entering {
				n.Level = min(n.Level+2, 6)
			}
		case *ast.Image:
			if entering {
				images = append(images, n)
			}
		}
		return ast.WalkContinue, nil
	})
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
	_ = pageMarkdown.Convert([]byte(visible(strings.TrimSpace(message))), b) // a builder takes all
}
