package dialect

import (
	"fmt"
	"slices"
	"strings"
)

// UnmarshalText reads a syntax by its name in the data files.
func (s *Syntax) UnmarshalText(text []byte) error {
	return pick(s, text, "json", "named", "markup", "elements", "python", "braces", "lenient")
}

// UnmarshalText reads a layout by its name in the data files.
func (l *Layout) UnmarshalText(text []byte) error {
	return pick(l, text, "in_line", "column", "spread", "packed")
}

// UnmarshalText reads a place by its name in the data files.
func (p *Place) UnmarshalText(text []byte) error {
	return pick(p, text, "after_system", "before_system", "first_user")
}

// UnmarshalText reads a style by its name in the data files.
func (s *Style) UnmarshalText(text []byte) error {
	return pick(s, text, "lines", "lines_comma", "bare", "array", "bare_array", "bare_column", "indented", "indented_array", "sorted_array",
		"flat_array", "wrapped", "marked", "fenced", "headed", "used", "xml", "typescript", "typescript_tight", "typescript_braces",
		"typescript_wide", "seed_stubs", "command_stubs", "declarations", "function_declarations")
}

// pick sets a constant to the place of text among the names of its type.
func pick[T ~int](value *T, text []byte, names ...string) error {
	i := slices.Index(names, string(text))
	if i < 0 {
		return fmt.Errorf("%q is not one of %s", text, strings.Join(names, ", "))
	}
	*value = T(i)
	return nil
}
