package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"rein/internal/near"
	"rein/schema/internal/tree"
)

// phrase describes what a keyword expects.
func phrase(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Minimum:
		return "must be at least " + decimal(k.Want)
	case *kind.Maximum:
		return "must be at most " + decimal(k.Want)
	case *kind.ExclusiveMinimum:
		return "must be more than " + decimal(k.Want)
	case *kind.ExclusiveMaximum:
		return "must be less than " + decimal(k.Want)
	case *kind.MultipleOf:
		return "must be a multiple of " + decimal(k.Want)
	case *kind.MinLength:
		return fmt.Sprintf("must have at least %d characters", k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("must have at most %d characters", k.Want)
	case *kind.MinItems:
		return fmt.Sprintf("must have at least %d items", k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("must have at most %d items", k.Want)
	case *kind.Pattern:
		return "must match " + tree.Shorten(k.Want, 100)
	case *kind.UniqueItems:
		return fmt.Sprintf("items %d and %d are the same", k.Duplicates[0], k.Duplicates[1])
	case *kind.Not:
		return "is ruled out by the schema"
	case *kind.FalseSchema:
		return "is not allowed here"
	case *kind.OneOf:
		return "fits more than one of the allowed forms"
	}
	return tree.Shorten(k.LocalizedString(message.NewPrinter(language.English)), 200)
}

func decimal(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	f, _ := r.Float64()
	return fmt.Sprintf("%g", f)
}

// choices names the allowed values, the nearest first where one is near.
func choices(want []any, got *tree.Value) string {
	var all []string
	for _, w := range want {
		all = append(all, shown(w))
	}
	list := strings.Join(all[:min(len(all), 12)], ", ")
	if len(all) > 12 {
		list += fmt.Sprintf(" and %d more", len(all)-12)
	}
	text := "one of " + list
	if got != nil && got.Kind == '"' {
		if like := near.Name(got.Show(), all); like != "" {
			text += " (nearest: " + like + ")"
		}
	}
	return text
}

func shown(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return tree.Shorten(string(text), 60)
}

func quoteAll(names []string, between string) string {
	var quoted []string
	for _, name := range names {
		quoted = append(quoted, fmt.Sprintf("%q", tree.Shorten(name, 64)))
	}
	return strings.Join(quoted, between)
}
