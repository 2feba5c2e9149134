package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"rein/guard/effect"
)

func (r *reader) coproc(sc *scope, c *syntax.CoprocClause) {
	name := "COPROC"
	if c.Name != nil && c.Name.Lit() != "" {
		name = c.Name.Lit()
	}
	sc.SetArray(name, unknownArray(fromNumber))
	if !isCompound(c.Stmt.Cmd) {
		r.coprocWords(sc, c)
		return
	}
	r.stmt(sc.Sub(), c.Stmt, &data{Taint: fromInput})
}

// coprocWords reads "coproc dd if=x" as bash does: the parser takes dd for the name of the coprocess, or if=x for an
// assignment; before a simple command bash does neither.
func (r *reader) coprocWords(sc *scope, c *syntax.CoprocClause) {
	var nodes []syntax.Node
	if c.Name != nil {
		nodes = append(nodes, c.Name)
	}
	if call, ok := c.Stmt.Cmd.(*syntax.CallExpr); ok {
		nodes = append(nodes, inOrder(call)...)
		r.redirect(sc, c.Stmt.Redirs, &data{Taint: fromInput})
	} else {
		nodes = append(nodes, c.Stmt)
	}
	var text strings.Builder
	printer := syntax.NewPrinter()
	for _, n := range nodes {
		if err := printer.Print(&text, n); err != nil {
			r.Found(effect.Unparsed, "a coprocess whose command is not clear")
			return
		}
		text.WriteByte(' ')
	}
	if len(nodes) < 2 || c.Stmt.Cmd == nil {
		r.Found(effect.Dynamic, "starts a coprocess that reads commands later")
	}
	r.Text(sc, literal(text.String()), sc.Args)
}
