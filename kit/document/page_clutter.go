package document

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// clutter removes what is around the content: navigation, sidebars, sharing buttons, advertisements. It recognises them by
// element and role and, if byName is set, by words in class names and ids. An element with much of the text stays,
// whatever its name is.
type clutter struct {
	byName bool
	sizes  map[*html.Node]size
	most   int // characters of prose from which an element is no clutter
}

func unclutter(root *html.Node, byName bool) {
	c := clutter{byName: byName, sizes: measure(root)}
	c.most = c.sizes[root].prose() * 3 / 5
	c.visit(root)
}

func (c *clutter) visit(root *html.Node) {
	var next *html.Node
	for n := root.FirstChild; n != nil; n = next {
		next = n.NextSibling
		if n.Type == html.ElementNode && c.sizes[n].prose() <= c.most && c.is(n, root) {
			root.RemoveChild(n)
			continue
		}
		c.visit(n)
	}
}

func (c *clutter) is(n, parent *html.Node) bool {
	switch n.DataAtom {
	case atom.Nav, atom.Aside, atom.Footer:
		return true
	case atom.Header:
		return parent.DataAtom == atom.Body || first(n, atom.Nav) != nil
	case atom.Article, atom.Main, atom.A, atom.Table, atom.Tbody, atom.Tr, atom.Td, atom.Code, atom.Pre, atom.P, atom.H1, atom.H2:
		return false
	}
	switch attributeOf(n, "role") {
	case "navigation", "banner", "contentinfo", "complementary", "search", "dialog", "alertdialog", "menu", "menubar":
		return true
	}
	return c.byName && named(n, clutterWords) && !named(n, contentWords)
}

// Words in class names and ids, by what they mean.
var (
	clutterWords = []string{"banner", "breadcrumb", "combx", "comment", "community", "cookie", "consent", "cover-wrap", "disqus", "footer", "gdpr", "legends",
		"menu", "navbar", "related", "remark", "replies", "rss", "shoutbox", "sidebar", "skyscraper", "social", "sponsor", "supplemental", "ad-break", "agegate",
		"pagination", "pager", "popup", "promo", "newsletter", "subscribe", "share", "toolbar", "masthead", "outbrain", "taboola", "recommend", "advert", "print-hide", "noprint", "skip-link", "editsection"}
	contentWords = []string{"article", "body", "column", "content", "main", "shadow", "entry", "post", "text", "story", "mathjax"}
	goodWords    = []string{"article", "body", "content", "entry", "hentry", "main", "page", "post", "text", "blog", "story", "markdown"}
	badWords     = []string{"-ad-", "hidden", "banner", "combx", "comment", "com-", "contact", "footer", "gdpr", "masthead", "media", "meta", "outbrain",
		"promo", "related", "scroll", "share", "shoutbox", "sidebar", "skyscraper", "sponsor", "shopping", "tags", "widget"}
)

func named(n *html.Node, words []string) bool {
	for _, key := range []string{"class", "id"} {
		name := strings.ToLower(attributeOf(n, key))
		if name == "" {
			continue
		}
		for _, word := range words {
			if strings.Contains(name, word) {
				return true
			}
		}
	}
	return false
}

// nameWeight is the score of the class names and the id of an element.
func nameWeight(n *html.Node) int {
	weight := 0
	for _, key := range []string{"class", "id"} {
		name := strings.ToLower(attributeOf(n, key))
		if name == "" {
			continue
		}
		if containsAny(name, badWords) {
			weight -= 25
		}
		if containsAny(name, goodWords) {
			weight += 25
		}
	}
	return weight
}

func containsAny(name string, words []string) bool {
	for _, word := range words {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// tidy removes boxes from the content that are lists of links without text.
func (s *scores) tidy(content *html.Node) {
	sizes := measure(content)
	var visit func(*html.Node)
	visit = func(parent *html.Node) {
		var next *html.Node
		for n := parent.FirstChild; n != nil; n = next {
			next = n.NextSibling
			if n.Type == html.ElementNode && isLinkBox(n, sizes[n]) {
				parent.RemoveChild(n)
				continue
			}
			visit(n)
		}
	}
	visit(content)
}

func isLinkBox(n *html.Node, z size) bool {
	switch n.DataAtom {
	case atom.Div, atom.Section, atom.Ul, atom.Ol, atom.Form, atom.Fieldset:
	default:
		return false
	}
	if z.text == 0 {
		return first(n, atom.Img) == nil
	}
	weight := nameWeight(n)
	if weight < 0 && z.commas < 10 && first(n, atom.Pre) == nil {
		return z.density() > 0.2 || z.prose() < minParagraph
	}
	if z.commas >= 10 || first(n, atom.Pre) != nil {
		return false
	}
	limit := 0.5
	if weight < 25 {
		limit = 0.33
	}
	if n.DataAtom == atom.Ul || n.DataAtom == atom.Ol {
		limit = 0.8 // references and tables of contents are lists of links too
	}
	return z.density() > limit && z.prose() < 200
}
