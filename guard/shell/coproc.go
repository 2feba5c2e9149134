package shell

import (
	"cmp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"rein/guard/shell/fact"
	"rein/guard/shell/judge"
)

func (r *reader) coproc(sc *judge.Scope, c *syntax.CoprocClause) {
	if !isCompound(c.Stmt.Cmd) {
		r.coprocWords(sc, c)
		return
	}
	r.stmt(sc.Sub(), c.Stmt, &fact.Data{Taint: fact.FromInput})
}

func isCompound(c syntax.Command) bool {
	switch c.(type) {
	case *syntax.CallExpr, *syntax.BinaryCmd, nil:
		return false
	}
	return true
}

// coprocWords reads "coproc dd if=x" as bash does: the parser takes dd for the name of the coprocess, or if=x for an
// assignment; before a simple command bash does neither.
func (r *reader) coprocWords(sc *judge.Scope, c *syntax.CoprocClause) {
	var nodes []syntax.Node
	if c.Name != nil {
		nodes = append(nodes, c.Name)
	}
	if call, ok := c.Stmt.Cmd.(*syntax.CallExpr); ok {
		nodes = append(nodes, inOrder(call)...)
		r.redirect(sc, c.Stmt.Redirs, &fact.Data{Taint: fact.FromInput})
	} else {
		nodes = append(nodes, c.Stmt)
	}
	var text strings.Builder
	printer := syntax.NewPrinter()
	for _, n := range nodes {
		if err := printer.Print(&text, n); err != nil {
			r.Found(fact.Unparsed, "a coprocess whose command is not clear")
			return
		}
		text.WriteByte(' ')
	}
	if len(nodes) < 2 || c.Stmt.Cmd == nil {
		r.Found(fact.Dynamic, "starts a coprocess that reads commands later")
	}
	r.Text(sc, fact.Literal(text.String()), sc.Args)
}

// inOrder returns the words of a simple command, assignments or not, in the order of the text.
func inOrder(c *syntax.CallExpr) []syntax.Node {
	var all []syntax.Node
	for _, a := range c.Args {
		all = append(all, a)
	}
	for _, a := range c.Assigns {
		all = append(all, a)
	}
	slices.SortStableFunc(all, func(a, b syntax.Node) int { return cmp.Compare(a.Pos().Offset(), b.Pos().Offset()) })
	return all
}

// assignsAfter reports whether what the parser takes for assignments comes after the program: for bash they are its
// arguments.
func assignsAfter(c *syntax.CallExpr) bool {
	n := len(c.Assigns)
	return n > 0 && len(c.Args) > 0 && c.Assigns[n-1].Pos().After(c.Args[0].Pos())
}
