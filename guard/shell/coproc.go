package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"rein/guard/shell/bash"
	"rein/guard/shell/fact"
	"rein/guard/shell/judge"
)

func (r *reader) coproc(sc *judge.Scope, c *syntax.CoprocClause) {
	name := "COPROC"
	if c.Name != nil && c.Name.Lit() != "" {
		name = c.Name.Lit()
	}
	sc.SetArray(name, judge.LostArray(fact.FromNumber))
	if !bash.IsCompound(c.Stmt.Cmd) {
		r.coprocWords(sc, c)
		return
	}
	r.stmt(sc.Sub(), c.Stmt, &fact.Data{Taint: fact.FromInput})
}

// coprocWords reads "coproc dd if=x" as bash does: the parser takes dd for the name of the coprocess, or if=x for an
// assignment; before a simple command bash does neither.
func (r *reader) coprocWords(sc *judge.Scope, c *syntax.CoprocClause) {
	var nodes []syntax.Node
	if c.Name != nil {
		nodes = append(nodes, c.Name)
	}
	if call, ok := c.Stmt.Cmd.(*syntax.CallExpr); ok {
		nodes = append(nodes, bash.InOrder(call)...)
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
