package schema

import (
	"slices"
	"strings"
)

const (
	maxOutline   = 240 // bytes
	textMissing  = "required argument is missing"
	textStranger = "unknown argument"
)

// Outline shows the arguments in one line, such as {path: string, offset?: integer, mode?: "text"|"hex"}: a model that
// got a name wrong sees at once which there are. It is empty where the line would be too long.
func (s *Schema) Outline() string {
	var args []string
	root := s.checks().root
	root.parts(isObject, func(n *node) bool {
		for _, p := range n.properties {
			arg := p.name
			if !root.requires(p.name) {
				arg += "?"
			}
			if form := p.node.form(); form != "" {
				arg += ": " + form
			}
			args = append(args, arg)
		}
		return true
	})
	line := "{" + strings.Join(args, ", ") + "}"
	if len(args) == 0 || len(line) > maxOutline {
		return ""
	}
	return line
}

// form names the type of a node, or its few values.
func (n *node) form() string {
	if len(n.enum) > 0 && len(n.enum) <= 6 {
		var values []string
		for _, v := range n.enum {
			values = append(values, shorten(string(v.Append(nil)), 24))
		}
		return strings.Join(values, "|")
	}
	if n.effective == anyKind {
		return ""
	}
	names := n.effective.Names()
	if n.effective&isNumber != 0 {
		names = slices.DeleteFunc(names, func(name string) bool { return name == "integer" })
	}
	return strings.Join(names, "|")
}

// aboutNames reports whether a problem of the outermost arguments is that one is missing or unknown.
func aboutNames(p Problem) bool {
	return !strings.ContainsAny(p.Path, ".[") && (strings.HasPrefix(p.Message, textMissing) || strings.HasPrefix(p.Message, textStranger))
}
