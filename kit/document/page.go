package document

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Page is a page as text.
type Page struct {
	Title    string
	Markdown string
	Whole    bool // nothing stood out as the main part, so all of it that is text is here
}

// PageOptions is how to read a page; the zero value takes the main part and leaves links relative.
type PageOptions struct {
	Base  *url.URL // makes links absolute; nil leaves them
	Whole bool     // all of the page that is text, with menus and margins
}

// ReadPage writes the main content of a page, HTML in UTF-8, as Markdown. It leaves out scripts, forms, pictures without a description, and what readers do not see. A page
// whose elements nest too deep (512) gives its plain text. An error means that the page could not be written as
// Markdown.
func ReadPage(text []byte, o PageOptions) (Page, error) {
	p, content, err := read(text, &o, true)
	if err != nil {
		return Page{Markdown: bareText(text), Whole: true}, nil
	}
	if !o.Whole && measure(content)[content].text < littleContent {
		// Little text: class names may be misleading. The result without them must be clearly longer to be better.
		second, all, err := read(text, &o, false)
		if err == nil && measure(all)[all].text > 2*measure(content)[content].text {
			p, content = second, all
		}
	}
	absolute(content, o.Base)
	markdown, err := markdown(content)
	if err != nil {
		return Page{}, fmt.Errorf("write the page as Markdown: %w", err)
	}
	p.Markdown = strings.TrimSpace(markdown)
	return p, nil
}

// littleContent is the number of characters below which the main content may be wrong.
const littleContent = 500

// read parses a page and finds its content; it sets the base of links.
func read(text []byte, o *PageOptions, byName bool) (Page, *html.Node, error) {
	doc, err := html.Parse(bytes.NewReader(text))
	if err != nil {
		return Page{}, nil, fmt.Errorf("read the page as HTML: %w", err)
	}
	p := Page{Title: title(doc), Whole: o.Whole}
	body := first(doc, atom.Body)
	if body == nil {
		body = doc
	}
	if found := first(doc, atom.Base); found != nil && o.Base != nil {
		if base, err := o.Base.Parse(attributeOf(found, "href")); err == nil {
			o.Base = base
		}
	}
	strip(body)
	if o.Whole {
		return p, body, nil
	}
	content, whole := mainPart(body, byName)
	p.Whole = whole
	return p, content, nil
}

func markdown(content *html.Node) (string, error) {
	c := converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(),
		commonmark.NewCommonmarkPlugin(),
		table.NewTablePlugin(table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal), table.WithHeaderPromotion(true)),
	))
	out, err := c.ConvertNode(content)
	return string(out), err
}

// title is the page's own title, else its first heading.
func title(doc *html.Node) string {
	for _, name := range []atom.Atom{atom.Title, atom.H1} {
		if n := first(doc, name); n != nil {
			if t := strings.Join(strings.Fields(textOf(n)), " "); t != "" {
				return t
			}
		}
	}
	return ""
}

// absolute makes the links of a tree absolute, and removes links that are useless to a reader.
func absolute(root *html.Node, base *url.URL) {
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || n.DataAtom != atom.A && n.DataAtom != atom.Img {
			continue
		}
		for i := range n.Attr {
			a := &n.Attr[i]
			if a.Key != "href" && a.Key != "src" {
				continue
			}
			a.Val = strings.TrimSpace(a.Val)
			lower := strings.ToLower(a.Val)
			if strings.HasPrefix(lower, "javascript:") || strings.HasPrefix(lower, "data:") {
				a.Val = ""
				n.Data, n.DataAtom = "span", atom.Span
			} else if base != nil && !strings.HasPrefix(a.Val, "#") {
				if u, err := base.Parse(a.Val); err == nil {
					a.Val = u.String()
				}
			}
		}
	}
}

// bareText is the text of a page that was not parsed, without scripts and styles.
func bareText(text []byte) string {
	var b strings.Builder
	tokens := html.NewTokenizer(bytes.NewReader(text))
	silent := atom.Atom(0)
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return strings.Join(strings.Fields(b.String()), " ")
		case html.StartTagToken:
			name, _ := tokens.TagName()
			if a := atom.Lookup(name); a == atom.Script || a == atom.Style || a == atom.Template {
				silent = a
			}
		case html.EndTagToken:
			if name, _ := tokens.TagName(); atom.Lookup(name) == silent {
				silent = 0
			}
		case html.TextToken:
			if silent == 0 {
				b.Write(tokens.Text())
				b.WriteByte(' ')
			}
		}
	}
}
