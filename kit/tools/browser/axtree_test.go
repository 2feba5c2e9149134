package browser

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// nodes decodes a tree that is written as the browser sends it. Backend ids are 100 + the number of the node.
func nodes(t testing.TB, text string) []axtreeNode {
	t.Helper()
	var all []axtreeNode
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// node writes a node: its id, role, name, children, and more fields.
func node(id int, role, name, children, more string) string {
	if more != "" {
		more = "," + more
	}
	return fmt.Sprintf(`{"nodeId":"%d","backendDOMNodeId":%d,"role":{"value":%q},"name":{"value":%q},"childIds":[%s]%s}`, id, 100+id, role, name, children, more)
}

func lines(t testing.TB, from int64, clickable map[int64]bool, list ...string) string {
	t.Helper()
	o := axtreeOptions{Ref: func(b int64) string { return fmt.Sprint("e", b) }, Clickable: clickable,
		Frame: func(int64) []axtreeNode {
			return nodes(t, "["+node(1, "RootWebArea", "", `"2"`, "")+","+node(2, "button", "In", "", "")+"]")
		},
		Mask: func(_, value string) string { return strings.ReplaceAll(value, "secret", "•") }}
	return strings.Join(axtreeLines(nodes(t, "["+strings.Join(list, ",")+"]"), from, o), "\n")
}

func TestLines(t *testing.T) {
	for name, row := range map[string]struct {
		list      []string
		clickable map[int64]bool
		from      int64
		want      string
	}{
		"texts and states": {[]string{node(1, "RootWebArea", "", `"2","3","5"`, ""), node(2, "heading", "Hi", `"6"`, `"properties":[{"name":"level","value":{"value":2}}]`),
			node(3, "paragraph", "", `"4"`, ""), node(4, "StaticText", "some  text", "", ""), node(5, "checkbox", "Yes", "", `"properties":[{"name":"checked","value":{"value":"true"}},{"name":"disabled","value":{"value":true}}]`), node(6, "StaticText", "Hi", "", "")},
			nil, 0, "- heading (level=2): Hi\n- paragraph: some text\n- checkbox \"Yes\" (checked, disabled) [e105]"},
		"generics vanish": {[]string{node(1, "RootWebArea", "", `"2"`, ""), node(2, "generic", "", `"3"`, ""), node(3, "none", "", `"4"`, ""), node(4, "link", "Go", "", "")}, nil, 0, "- link \"Go\" [e104]"},
		"what is ignored": {[]string{node(1, "RootWebArea", "", `"2"`, ""), node(2, "button", "Gone", `"3"`, `"ignored":true`), node(3, "StaticText", "kept", "", "")}, nil, 0, "- text: kept"},
		"a field":         {[]string{node(1, "textbox", "Name", "", `"value":{"value":"my secret"}`)}, nil, 0, "- textbox \"Name\" [e101]: my •"},
		"a list":          {[]string{node(1, "combobox", "Land", `"2","3"`, ""), node(2, "option", "A", "", ""), node(3, "option", "B", "", `"properties":[{"name":"selected","value":{"value":true}}]`)}, nil, 0, "- combobox \"Land\" [e101]: \"B\" (options: 2)"},
		"a row":           {[]string{node(1, "row", "", `"2","3"`, ""), node(2, "cell", "", `"4"`, ""), node(3, "cell", "", `"5"`, ""), node(4, "StaticText", "x", "", ""), node(5, "button", "Edit", "", "")}, nil, 0, "- | x | Edit [e105] |"},
		"what reacts":     {[]string{node(1, "RootWebArea", "", `"2"`, ""), node(2, "generic", "", `"3"`, ""), node(3, "StaticText", "More", "", "")}, map[int64]bool{102: true}, 0, "- clickable \"More\" [e102]"},
		"around a control": {[]string{node(1, "RootWebArea", "", `"2"`, ""), node(2, "generic", "", `"3"`, ""), node(3, "button", "More", "", "")}, map[int64]bool{102: true}, 0,
			"- button \"More\" [e103]"},
		"a frame":                 {[]string{node(1, "Iframe", "ad", "", "")}, nil, 0, "- Iframe \"ad\"\n  - button \"In\" [e102]"},
		"below an element":        {[]string{node(1, "RootWebArea", "", `"2","3"`, ""), node(2, "button", "a", "", ""), node(3, "button", "b", "", "")}, nil, 103, "- button \"b\" [e103]"},
		"a loop":                  {[]string{node(1, "generic", "", `"2"`, ""), node(2, "generic", "", `"1"`, "")}, nil, 0, ""},
		"a child that is missing": {[]string{node(1, "list", "L", `"9"`, "")}, nil, 0, "- list \"L\""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := lines(t, row.from, row.clickable, row.list...); got != row.want {
				t.Errorf("got\n%s\nwant\n%s", got, row.want)
			}
		})
	}
	if axtreeLines(nil, 0, axtreeOptions{}) != nil {
		t.Error("nothing has lines")
	}
}
