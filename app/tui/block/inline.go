package block

import (
	"html"
	"net/url"
	"strings"

	"github.com/yuin/goldmark/ast"

	"rein/app/tui/text"
)

// inline returns the text of a paragraph: one line, and one more for each hard break.
func (b *builder) inline(n ast.Node, style text.Style) []text.Line {
	in := inlines{builder: b, lines: []text.Line{nil}}
	in.children(n, style)
	return in.lines
}

type inlines struct {
	*builder
	lines  []text.Line
	struck bool
}

// written adds the text of the paragraph itself: two tildes strike what is between them, and an address is a link.
func (in *inlines) written(s string, style text.Style) {
	for i, piece := range strings.Split(s, "~~") {
		if i > 0 {
			in.struck = !in.struck
		}
		style.Strike = in.struck
		for piece != "" {
			at := max(strings.Index(piece, "https://"), strings.Index(piece, "http://"))
			if at < 0 {
				in.add(unescape(piece), style)
				break
			}
			if first := strings.Index(piece, "http"); first >= 0 {
				at = first
			}
			in.add(unescape(piece[:at]), style)
			end := at + strings.IndexAny(piece[at:]+" ", " \t<>\"'`|")
			address := strings.TrimRight(piece[at:end], ".,;:!?)*_")
			if !strings.Contains(address, "://") {
				in.add(unescape(piece[at:end]), style)
			} else {
				in.link(address, address, style)
				in.add(unescape(piece[at+len(address):end]), style)
			}
			piece = piece[end:]
		}
	}
}

func (in *inlines) add(s string, style text.Style) {
	if s = text.Shown(s); s != "" {
		last := len(in.lines) - 1
		in.lines[last] = append(in.lines[last], text.Span{Text: s, Style: style})
	}
}

func (in *inlines) children(n ast.Node, style text.Style) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		in.node(c, style)
	}
}

func (in *inlines) node(n ast.Node, style text.Style) {
	switch n := n.(type) {
	case *ast.Text:
		in.written(string(n.Segment.Value(in.src)), style)
		if n.HardLineBreak() {
			in.lines = append(in.lines, nil)
		} else if n.SoftLineBreak() {
			in.add(" ", style)
		}
	case *ast.String:
		in.add(string(n.Value), style)
	case *ast.CodeSpan:
		style.Role = text.Code
		in.add(in.plain(n), style)
	case *ast.Emphasis:
		if n.Level > 1 {
			style.Bold = true
		} else {
			style.Italic = true
		}
		in.children(n, style)
	case *ast.AutoLink:
		in.link(string(n.Label(in.src)), string(n.URL(in.src)), style)
	case *ast.Link:
		in.link(in.plain(n), string(n.Destination), style)
	case *ast.Image:
		in.link(in.plain(n), string(n.Destination), style)
	case *ast.RawHTML:
		for i := range n.Segments.Len() {
			s := n.Segments.At(i)
			in.add(string(s.Value(in.src)), style)
		}
	default:
		in.children(n, style)
	}
}

func (in *inlines) plain(n ast.Node) string {
	var s strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			s.Write(c.Segment.Value(in.src))
			if c.SoftLineBreak() {
				s.WriteByte(' ')
			}
		case *ast.String:
			s.Write(c.Value)
		default:
			s.WriteString(in.plain(c))
		}
	}
	return s.String()
}

// link adds a link. Where its text does not show the target, the host follows, so that no link hides where it goes.
func (in *inlines) link(label, target string, style text.Style) {
	style.Under = true
	shown := style
	if u, err := url.Parse(target); err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
		shown.Link = text.Shown(target)
		in.add(label, shown)
		if !strings.Contains(label, u.Host) {
			in.add(" ("+u.Host+")", text.Style{Role: text.Dim})
		}
		return
	}
	in.add(label, shown)
	if target != "" && target != label {
		in.add(" ("+target+")", text.Style{Role: text.Dim})
	}
}

// unescape replaces the entities of HTML and removes the backslashes of Markdown's escapes.
func unescape(s string) string {
	if strings.Contains(s, "&") {
		s = html.UnescapeString(s)
	}
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte(escapable, s[i+1]) >= 0 {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// escapable are the characters that a backslash makes ordinary.
const escapable = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
