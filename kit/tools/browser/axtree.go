package browser

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// axtreeNode is a node of the tree, as Accessibility.getFullAXTree gives it.
type axtreeNode struct {
	ID         string           `json:"nodeId"`
	Ignored    bool             `json:"ignored"`
	Role       axtreeValue      `json:"role"`
	Name       axtreeValue      `json:"name"`
	Value      axtreeValue      `json:"value"`
	Properties []axtreeProperty `json:"properties"`
	Parent     string           `json:"parentId"`
	Children   []string         `json:"childIds"`
	Backend    int64            `json:"backendDOMNodeId"`
}

// axtreeValue is a value of the tree.
type axtreeValue struct {
	Value json.RawMessage `json:"value"`
}

// axtreeProperty is a state of a node.
type axtreeProperty struct {
	Name  string      `json:"name"`
	Value axtreeValue `json:"value"`
}

// text is the value as text.
func (v axtreeValue) text() string {
	var s string
	if json.Unmarshal(v.Value, &s) == nil {
		return s
	}
	return string(v.Value)
}

// axtreeOptions are what Lines needs of the page.
type axtreeOptions struct {
	Ref       func(backend int64) string       // the reference of an element: "e12"
	Clickable map[int64]bool                   // elements that react to a click although their role does not say so
	Frame     func(backend int64) []axtreeNode // the tree inside a frame; nil: none
	Mask      func(name, value string) string  // changes the value of a field; nil: none
}

const (
	mostName  = 300 // bytes of a name
	mostDepth = 200
)

// axtreeLines writes the tree below a node: the one with the backend id from, or all of it for 0.
func axtreeLines(nodes []axtreeNode, from int64, o axtreeOptions) []string {
	if len(nodes) == 0 {
		return nil
	}
	w := &writer{o: o}
	t := newTree(nodes)
	root := &nodes[0]
	for i := range nodes {
		if from != 0 && nodes[i].Backend == from {
			root = &nodes[i]
			break
		}
	}
	w.node(t, root, 0, 0)
	return w.lines
}

type tree struct{ byID map[string]*axtreeNode }

func newTree(nodes []axtreeNode) tree {
	t := tree{make(map[string]*axtreeNode, len(nodes))}
	for i := range nodes {
		t.byID[nodes[i].ID] = &nodes[i]
	}
	return t
}

type writer struct {
	o     axtreeOptions
	lines []string
}

// controls are the roles that a person uses.
var controls = map[string]bool{"button": true, "link": true, "textbox": true, "searchbox": true, "combobox": true, "checkbox": true, "radio": true,
	"switch": true, "slider": true, "spinbutton": true, "menuitem": true, "menuitemcheckbox": true, "menuitemradio": true, "option": true, "tab": true,
	"treeitem": true, "listbox": true, "ColorWell": true, "Date": true, "DateTime": true, "InputTime": true, "DisclosureTriangle": true, "PopUpButton": true}

// replacedRoles are the roles whose children stand for them.
var replacedRoles = map[string]bool{"none": true, "presentation": true, "InlineTextBox": true, "rowgroup": true, "generic": true, "RootWebArea": true,
	"LayoutTable": true, "LayoutTableRow": true, "LayoutTableCell": true, "Section": true, "LineBreak": true, "ListMarker": true,
	"LabelText": true}

func (w *writer) node(t tree, n *axtreeNode, indent, depth int) {
	role := n.Role.text()
	if depth > mostDepth || role == "InlineTextBox" || role == "ListMarker" || role == "LineBreak" {
		return
	}
	clickable := w.o.Clickable[n.Backend] && !controls[role] && role != "RootWebArea" && role != "StaticText" && role != "LabelText" && !w.hasControl(t, n, 0)
	switch {
	case (n.Ignored || replacedRoles[role]) && !clickable:
		w.children(t, n, indent, depth)
	case role == "StaticText":
		if name := clean(n.Name.text()); name != "" {
			w.add(indent, "text: "+name)
		}
	case role == "row":
		w.row(t, n, indent)
	default:
		w.element(t, n, role, clickable, indent, depth)
	}
}

// element writes a node that has a line of its own.
func (w *writer) element(t tree, n *axtreeNode, role string, clickable bool, indent, depth int) {
	if clickable && replacedRoles[role] {
		role = "clickable"
	}
	name := clean(n.Name.text())
	plain, options := w.textBelow(t, n)
	if name == "" && plain != "" && (controls[role] || clickable) {
		name = plain
	}
	line := role
	if name != "" && name != plain || name != "" && controls[role] || clickable {
		line += " " + strconv.Quote(name)
	}
	line += states(n)
	if controls[role] || clickable {
		line += " [" + w.o.Ref(n.Backend) + "]"
	}
	if value := clean(n.Value.text()); value != "" && value != name && !options {
		if w.o.Mask != nil {
			value = w.o.Mask(name, value)
		}
		line += ": " + value
	}
	switch {
	case role == "combobox" || role == "listbox" || role == "PopUpButton":
		if count, chosen := optionsOf(t, n); count > 0 {
			line += fmt.Sprintf(": %s (options: %d)", strconv.Quote(chosen), count)
			w.add(indent, line)
			return
		}
	case plain != "" && !controls[role] && !clickable:
		line += ": " + plain
	}
	if plain == "" && name == "" && len(n.Children) == 0 && !controls[role] && role != "Iframe" {
		return
	}
	w.add(indent, line)
	if role == "Iframe" && w.o.Frame != nil {
		if nodes := w.o.Frame(n.Backend); len(nodes) > 0 {
			w.node(newTree(nodes), &nodes[0], indent+1, depth+1)
		}
		return
	}
	if role == "Date" || role == "DateTime" || role == "InputTime" || role == "ColorWell" {
		return // it is filled as a whole
	}
	if plain == "" && !leaf(role) {
		w.children(t, n, indent+1, depth)
	} else if plain == "" || name != "" && leaf(role) {
		w.controlsBelow(t, n, indent+1, depth)
	}
}

// hasControl reports whether a control is below a node: that is what a click is meant for.
func (w *writer) hasControl(t tree, n *axtreeNode, depth int) bool {
	for _, id := range n.Children {
		if child := t.byID[id]; child != nil && depth < mostDepth && (controls[child.Role.text()] && !child.Ignored || w.hasControl(t, child, depth+1)) {
			return true
		}
	}
	return false
}

// leaf reports roles whose text is their name.
func leaf(role string) bool {
	return role == "button" || role == "link" || role == "option" || role == "tab" || role == "textbox" || role == "searchbox" || role == "menuitem"
}

func (w *writer) children(t tree, n *axtreeNode, indent, depth int) {
	for _, id := range n.Children {
		if child := t.byID[id]; child != nil {
			w.node(t, child, indent, depth+1)
		}
	}
}

// controlsBelow writes what can be used inside of a control, such as a button in a link.
func (w *writer) controlsBelow(t tree, n *axtreeNode, indent, depth int) {
	for _, id := range n.Children {
		child := t.byID[id]
		switch {
		case child == nil || depth > mostDepth:
		case controls[child.Role.text()] && !child.Ignored:
			w.node(t, child, indent, depth+1)
		default:
			w.controlsBelow(t, child, indent, depth+1)
		}
	}
}

// textBelow is the text of a node all of whose children are text. options reports whether it has options.
func (w *writer) textBelow(t tree, n *axtreeNode) (text string, options bool) {
	var parts []string
	var visit func(n *axtreeNode, depth int) bool
	visit = func(n *axtreeNode, depth int) bool {
		for _, id := range n.Children {
			child := t.byID[id]
			if child == nil || depth > mostDepth {
				continue
			}
			switch role := child.Role.text(); {
			case role == "StaticText" && !w.o.Clickable[child.Backend]:
				parts = append(parts, child.Name.text())
			case role == "InlineTextBox" || role == "LineBreak" || role == "ListMarker":
			case (child.Ignored || role == "generic" || role == "none" || role == "emphasis" || role == "strong" || role == "code" || role == "mark") && !w.o.Clickable[child.Backend]:
				if !visit(child, depth+1) {
					return false
				}
			default:
				options = options || role == "option" || role == "MenuListPopup"
				return false
			}
		}
		return true
	}
	if !visit(n, 0) {
		return "", options
	}
	text = strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
	if len(text) > 4*mostName {
		text = strings.ToValidUTF8(text[:4*mostName], "") + "…"
	}
	return text, options
}

// row writes a row of a table as one line.
func (w *writer) row(t tree, n *axtreeNode, indent int) {
	var cells []string
	for _, id := range n.Children {
		child := t.byID[id]
		if child == nil {
			continue
		}
		cells = append(cells, strings.Join(w.inLine(t, child, 0), " "))
	}
	w.add(indent, "| "+strings.Join(cells, " | ")+" |"+states(n))
}

// inLine is what is below a node, in one line.
func (w *writer) inLine(t tree, n *axtreeNode, depth int) (parts []string) {
	role := n.Role.text()
	switch {
	case depth > mostDepth || role == "InlineTextBox":
		return nil
	case role == "StaticText":
		return []string{clean(n.Name.text())}
	case controls[role] && !n.Ignored || w.o.Clickable[n.Backend] && role == "generic":
		name := clean(n.Name.text())
		if name == "" {
			name, _ = w.textBelow(t, n)
		}
		if name == "" {
			name = role
		}
		if value := clean(n.Value.text()); value != "" && value != name {
			if w.o.Mask != nil {
				value = w.o.Mask(name, value)
			}
			name += "=" + value
		}
		return []string{name + states(n) + " [" + w.o.Ref(n.Backend) + "]"}
	case role == "image" && clean(n.Name.text()) != "":
		return []string{"image " + strconv.Quote(clean(n.Name.text()))}
	}
	for _, id := range n.Children {
		if child := t.byID[id]; child != nil {
			parts = append(parts, w.inLine(t, child, depth+1)...)
		}
	}
	return parts
}

// optionsOf counts the options of a list, and returns the chosen one.
func optionsOf(t tree, n *axtreeNode) (count int, chosen string) {
	var visit func(n *axtreeNode, depth int)
	visit = func(n *axtreeNode, depth int) {
		for _, id := range n.Children {
			child := t.byID[id]
			if child == nil || depth > mostDepth {
				continue
			}
			if child.Role.text() == "option" {
				if count++; strings.Contains(states(child), "selected") {
					chosen = clean(child.Name.text())
				}
			}
			visit(child, depth+1)
		}
	}
	visit(n, 0)
	if value := clean(n.Value.text()); chosen == "" {
		chosen = value
	}
	return count, chosen
}

// states are the states of a node that are set.
func states(n *axtreeNode) string {
	var all []string
	for _, p := range n.Properties {
		value := p.Value.text()
		switch p.Name {
		case "level":
			all = append(all, "level="+value)
		case "expanded":
			all = append(all, map[string]string{"true": "expanded", "false": "collapsed"}[value])
		case "checked", "pressed":
			if value != "false" {
				all = append(all, map[bool]string{true: p.Name, false: p.Name + "=" + value}[value == "true"])
			}
		case "disabled", "selected", "required", "focused", "readonly":
			if value == "true" {
				all = append(all, p.Name)
			}
		case "invalid":
			if value != "false" {
				all = append(all, "invalid")
			}
		}
	}
	if len(all) == 0 {
		return ""
	}
	return " (" + strings.Join(all, ", ") + ")"
}

func (w *writer) add(indent int, line string) {
	w.lines = append(w.lines, strings.Repeat("  ", min(indent, 12))+"- "+line)
}

// clean is a short text on one line.
func clean(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > mostName {
		text = strings.ToValidUTF8(text[:mostName], "") + "…"
	}
	return text
}
