package document

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// strip removes what no reader sees and no model needs: scripts, controls, comments, hidden elements.
func strip(root *html.Node) {
	var next *html.Node
	for n := root.FirstChild; n != nil; n = next {
		next = n.NextSibling
		if n.Type == html.CommentNode || n.Type == html.ElementNode && (neverText(n) || isHidden(n)) {
			root.RemoveChild(n)
			continue
		}
		strip(n)
	}
}

func neverText(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Iframe, atom.Object, atom.Embed, atom.Svg, atom.Canvas, atom.Video, atom.Audio,
		atom.Button, atom.Input, atom.Select, atom.Textarea, atom.Option, atom.Dialog, atom.Link, atom.Meta, atom.Map, atom.Progress, atom.Meter:
		return true
	case atom.Img:
		return strings.TrimSpace(attributeOf(n, "alt")) == ""
	}
	return false
}

// isHidden reports whether a reader does not see an element. Pages use text that only a model would read to give it
// instructions.
func isHidden(n *html.Node) bool {
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return true
		case "aria-hidden":
			if strings.EqualFold(a.Val, "true") {
				return true
			}
		case "style":
			if hidesByStyle(a.Val) {
				return true
			}
		}
	}
	return false
}

func hidesByStyle(style string) bool {
	for rule := range strings.SplitSeq(strings.ToLower(style), ";") {
		name, value, _ := strings.Cut(rule, ":")
		value = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "!important"))
		switch strings.TrimSpace(name) {
		case "display":
			if value == "none" {
				return true
			}
		case "visibility":
			if value == "hidden" || value == "collapse" {
				return true
			}
		case "opacity", "font-size", "max-height", "height":
			if value == "0" || value == "0px" || value == "0.0" {
				return true
			}
		}
	}
	return false
}

// first finds the first element of a name below a node, or the node itself.
func first(root *html.Node, name atom.Atom) *html.Node {
	if root.DataAtom == name {
		return root
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.DataAtom == name {
			return n
		}
	}
	return nil
}

func attributeOf(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func textOf(root *html.Node) string {
	var b strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
	}
	return b.String()
}
