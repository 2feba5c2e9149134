package schema

import (
	"fmt"

	"rein/schema/internal/tree"
)

// reference follows a $ref inside the same document; a reference to an anchor is left to the full validator.
func (b *builder) reference(v *tree.Value, at string) (*node, error) {
	if v.Kind != '"' {
		return nil, fmt.Errorf("%s is no string", place(at))
	}
	target, err := tree.Resolve(b.root, v.Text)
	if err != nil || target == nil {
		return nil, err
	}
	depth := b.depth
	b.depth = 0 // what is referred to is not nested
	defer func() { b.depth = depth }()
	return b.node(target, v.Text)
}
