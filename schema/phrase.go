package schema

import (
	"fmt"
	"math/big"
	"strings"

	"rein/internal/plaintext"
)

func decimal(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	f, _ := r.Float64()
	return fmt.Sprintf("%g", f)
}

// choices names the allowed values, the nearest first where one is near.
func choices(want []*Value, got *Value) string {
	var all []string
	for _, w := range want {
		all = append(all, shown(w))
	}
	list := strings.Join(all[:min(len(all), 12)], ", ")
	if len(all) > 12 {
		list += fmt.Sprintf(" and %d more", len(all)-12)
	}
	text := "one of " + list
	if got.Kind == '"' {
		if like := plaintext.NearestName(got.Show(), all); like != "" {
			text += " (nearest: " + like + ")"
		}
	}
	return text
}

func shown(v *Value) string { return shorten(string(v.Append(nil)), 60) }

func quoteAll(names []string, between string) string {
	var quoted []string
	for _, name := range names {
		quoted = append(quoted, fmt.Sprintf("%q", shorten(name, 64)))
	}
	return strings.Join(quoted, between)
}
