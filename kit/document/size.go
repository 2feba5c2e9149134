package document

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// size is how much text an element has, in characters without blanks at the ends.
type size struct{ text, links, commas int }

func (s size) prose() int { return s.text - s.links }

// density is the part of the text that is links, from 0 to 1.
func (s size) density() float64 {
	if s.text == 0 {
		return 0
	}
	return float64(s.links) / float64(s.text)
}

// measure counts the text of every element of a tree.
func measure(root *html.Node) map[*html.Node]size {
	sizes := map[*html.Node]size{}
	var visit func(n *html.Node, linked bool) size
	visit = func(n *html.Node, linked bool) size {
		var s size
		if n.Type == html.TextNode {
			text := strings.TrimSpace(n.Data)
			s.text = utf8.RuneCountInString(text)
			s.commas = strings.Count(text, ",") + strings.Count(text, "，") + strings.Count(text, "、")
			if linked {
				s.links = s.text
			}
			return s
		}
		linked = linked || n.DataAtom == atom.A && !strings.HasPrefix(attributeOf(n, "href"), "#")
		for c := range n.ChildNodes() {
			part := visit(c, linked)
			s.text, s.links, s.commas = s.text+part.text, s.links+part.links, s.commas+part.commas
		}
		sizes[n] = s
		return s
	}
	visit(root, false)
	return sizes
}
