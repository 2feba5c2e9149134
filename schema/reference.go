package schema

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// reference follows a $ref inside the same document; a reference to an anchor is left to the full validator.
func (b *builder) reference(v *value, at string) (*node, error) {
	if v.kind != '"' {
		return nil, fmt.Errorf("%s is no string", place(at))
	}
	target, err := resolve(b.root, v.text)
	if err != nil || target == nil {
		return nil, err
	}
	depth := b.depth
	b.depth = 0 // what is referred to is not nested
	defer func() { b.depth = depth }()
	return b.node(target, v.text)
}

// resolve finds what a $ref of the document points at: nil for an anchor, an error for anything outside or absent.
func resolve(root *value, ref string) (*value, error) {
	fragment, inside := strings.CutPrefix(ref, "#")
	if !inside {
		return nil, fmt.Errorf("$ref %q leaves the schema", ref)
	}
	if fragment != "" && fragment[0] != '/' {
		return nil, nil
	}
	if decoded, err := url.PathUnescape(fragment); err == nil {
		fragment = decoded
	}
	v := root
	for _, step := range strings.Split(fragment, "/")[1:] {
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		var next *value
		if v.kind == '[' {
			if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(v.items) {
				next = v.items[i]
			}
		} else {
			next = v.member(step)
		}
		if next == nil {
			return nil, fmt.Errorf("$ref %q points at nothing", ref)
		}
		v = next
	}
	return v, nil
}
