package document

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// scores are the weights that elements have collected.
type scores struct {
	weight map[*html.Node]float64
	order  []*html.Node // in which they came, so that the outcome never hangs on a map's
	sizes  map[*html.Node]size
}

// collect gives the points of each block of text to its parent, and a part of them to the elements above.
func (s *scores) collect(root *html.Node) {
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || !holdsProse(n) || s.sizes[n].text < minParagraph {
			continue
		}
		points := 1 + float64(s.sizes[n].commas) + min(float64(s.sizes[n].text)/100, 3)
		above := n.Parent
		for level := range 5 {
			if above == nil || above.Type != html.ElementNode {
				break
			}
			share := []float64{1, 0.5, 1.0 / 6, 1.0 / 9, 1.0 / 12}[level]
			s.add(above, points*share)
			if above == root {
				break
			}
			above = above.Parent
		}
	}
}

func (s *scores) add(n *html.Node, points float64) {
	if _, known := s.weight[n]; !known {
		s.weight[n] = ownWeight(n)
		s.order = append(s.order, n)
	}
	s.weight[n] += points
}

// holdsProse reports whether an element is a block of text.
func holdsProse(n *html.Node) bool {
	switch n.DataAtom {
	case atom.P, atom.Pre, atom.Td, atom.Blockquote, atom.Dd, atom.Figcaption:
		return true
	case atom.Div, atom.Section, atom.Article, atom.Li:
		for c := range n.ChildNodes() {
			if c.Type == html.ElementNode && isBlock(c) {
				return false
			}
		}
		return true
	}
	return false
}

func isBlock(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Div, atom.P, atom.Section, atom.Article, atom.Main, atom.Header, atom.Footer, atom.Aside, atom.Nav, atom.Ul, atom.Ol, atom.Dl, atom.Table,
		atom.Pre, atom.Blockquote, atom.Form, atom.Figure, atom.Fieldset, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Hr, atom.Li, atom.Center:
		return true
	}
	return false
}

// ownWeight is the score of an element's kind and names.
func ownWeight(n *html.Node) float64 {
	weight := float64(nameWeight(n))
	switch n.DataAtom {
	case atom.Article, atom.Main:
		return weight + 10
	case atom.Div, atom.Section:
		return weight + 5
	case atom.Pre, atom.Td, atom.Blockquote:
		return weight + 3
	case atom.Ul, atom.Ol, atom.Dl, atom.Dd, atom.Dt, atom.Li, atom.Address, atom.Form:
		return weight - 3
	case atom.Th, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return weight - 5
	}
	return weight
}

// best is the element with the highest score, less its links.
func (s *scores) best(root *html.Node) *html.Node {
	var best *html.Node
	for _, n := range s.order {
		s.weight[n] *= 1 - s.sizes[n].density()
		if n != root && (best == nil || s.weight[n] > s.weight[best]) {
			best = n
		}
	}
	return s.outermost(s.shared(best, root), root)
}

// shared is the nearest element that contains three others with about the highest score: the text of some pages is in
// several parts of the same kind.
func (s *scores) shared(best, root *html.Node) *html.Node {
	if best == nil {
		return nil
	}
	var rivals []*html.Node
	for _, n := range s.order {
		if n != best && n != root && s.weight[n] >= s.weight[best]*0.75 {
			rivals = append(rivals, n)
		}
	}
	if len(rivals) < 3 {
		return best
	}
	for above := best.Parent; above != nil && above != root.Parent; above = above.Parent {
		held := 0
		for _, r := range rivals {
			if holds(above, r) {
				held++
			}
		}
		if held >= 3 {
			return above
		}
	}
	return best
}

func holds(above, n *html.Node) bool {
	for n = n.Parent; n != nil; n = n.Parent {
		if n == above {
			return true
		}
	}
	return false
}

// outermost goes up to the parent while its score is nearly as high or higher, or while it contains nothing else.
func (s *scores) outermost(best, root *html.Node) *html.Node {
	if best == nil {
		return nil
	}
	last := s.weight[best]
	for n := best.Parent; n != nil && n != root; n = n.Parent {
		if s.sizes[n].text == s.sizes[best].text {
			best = n
			continue
		}
		weight, scored := s.weight[n]
		if !scored {
			continue
		}
		if weight < last/3 {
			break
		}
		if weight > last {
			best = n
			break
		}
		last = weight
	}
	return best
}

// withSiblings adds the siblings with text of the same kind: an article often has several parts. The result is a new
// element if there are any.
func (s *scores) withSiblings(best, root *html.Node) *html.Node {
	if best == root || best.Parent == nil {
		return best
	}
	limit := max(10, s.weight[best]*0.2)
	var parts []*html.Node
	for n := range best.Parent.ChildNodes() {
		if n == best || s.belongs(n, best, limit) {
			parts = append(parts, n)
		}
	}
	if len(parts) == 1 {
		return best
	}
	joined := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
	for _, n := range parts {
		n.Parent.RemoveChild(n)
		joined.AppendChild(n)
	}
	s.sizes = measure(joined)
	return joined
}

func (s *scores) belongs(n, best *html.Node, limit float64) bool {
	if n.Type != html.ElementNode {
		return false
	}
	weight, scored := s.weight[n]
	if class := attributeOf(best, "class"); scored && class != "" && class == attributeOf(n, "class") {
		weight += s.weight[best] * 0.2
	}
	if scored && weight >= limit {
		return true
	}
	z := s.sizes[n]
	switch n.DataAtom {
	case atom.P, atom.Pre, atom.Blockquote:
		return z.text > 80 && z.density() < 0.25 || z.text > 0 && z.links == 0 && strings.ContainsAny(textOf(n), ".。")
	case atom.H1, atom.H2, atom.H3:
		return z.text > 0 && z.density() < 0.5
	}
	return false
}
