package schema

import (
	"math/big"
	"strconv"
	"unicode/utf8"
)

// content compares what is in a value, by its kind.
func (c *check) content(n *node, v *subject) []fault {
	switch v.Kind {
	case '{':
		return c.object(n, v)
	case '[':
		return c.array(n, v)
	case '"':
		return c.text(n, v.Value)
	case '0':
		return c.number(n, v.Value)
	}
	return nil
}

func (c *check) array(n *node, v *subject) (found []fault) {
	if count := len(v.Items); count < n.count.low {
		found = c.wrong("must have at least %d items, got %s", n.count.low, v.Show())
	} else if n.count.high >= 0 && count > n.count.high {
		found = c.wrong("must have at most %d items, got %s", n.count.high, v.Show())
	}
	if r := n.rare; r != nil && r.unique {
		if i, j := v.Twice(); j > 0 {
			found = append(found, c.wrong("items %d and %d are the same, got %s", i, j, v.Show())...)
		}
	}
	for i, item := range v.Items {
		if c.enough(found) {
			return found
		}
		if by := n.item(i); by != nil {
			found = append(found, c.below(by, item, strconv.Itoa(i))...)
			c.sawItem(v, i)
		}
	}
	if r := n.rare; r != nil && r.contains != nil {
		found = append(found, c.containing(r, v)...)
	}
	return found
}

// containing counts the items that have the wanted form.
func (c *check) containing(r *rare, v *subject) []fault {
	count := 0
	for i, item := range v.Items {
		if c.fits(r.contains, &subject{Value: item}) {
			count++
			c.sawItem(v, i)
		}
	}
	switch {
	case count < r.containing.low:
		return c.wrong("must have at least %d items of the form that the schema asks for, got %d", r.containing.low, count)
	case r.containing.high >= 0 && count > r.containing.high:
		return c.wrong("must have at most %d items of the form that the schema names, got %d", r.containing.high, count)
	}
	return nil
}

func (c *check) text(n *node, v *Value) (found []fault) {
	if n.length.low > 0 || n.length.high >= 0 {
		switch length := utf8.RuneCountInString(v.Text); {
		case length < n.length.low:
			found = c.wrong("must have at least %d characters, got %s", n.length.low, v.Show())
		case n.length.high >= 0 && length > n.length.high:
			found = c.wrong("must have at most %d characters, got %s", n.length.high, v.Show())
		}
	}
	if r := n.rare; r != nil && r.pattern != nil && !c.matched(r.pattern, v.Text) {
		found = append(found, c.wrong("must match %s, got %s", shorten(r.pattern.text, 100), v.Show())...)
	}
	return found
}

func (c *check) number(n *node, v *Value) (found []fault) {
	r := n.rare
	if r == nil {
		return nil
	}
	got := v.Rat()
	for _, limit := range []struct {
		bound       *big.Rat
		first, last int // how got may compare with the bound
		words       string
	}{{r.least, 0, 1, "at least"}, {r.most, -1, 0, "at most"}, {r.above, 1, 1, "more than"}, {r.below, -1, -1, "less than"}} {
		if limit.bound == nil {
			continue
		}
		if order := got.Cmp(limit.bound); order < limit.first || order > limit.last {
			found = append(found, c.wrong("must be %s %s, got %s", limit.words, decimal(limit.bound), v.Show())...)
		}
	}
	if r.step != nil && !new(big.Rat).Quo(got, r.step).IsInt() {
		found = append(found, c.wrong("must be a multiple of %s, got %s", decimal(r.step), v.Show())...)
	}
	return found
}

// matched reports whether a text matches a pattern, and counts the work.
func (c *check) matched(p *pattern, text string) bool {
	if p.re == nil {
		return true
	}
	if c.matches -= p.weight * (len(text) + 1); c.matches < 0 {
		c.err = errTooLong
		return true
	}
	return p.re.MatchString(text)
}
