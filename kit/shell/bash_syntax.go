package shell

import (
	"cmp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// mayLeave reports whether what follows a statement may not run, because of a break, continue, return or exit in it.
func mayLeave(s *syntax.Stmt) bool {
	switch s.Cmd.(type) {
	case *syntax.Subshell, *syntax.FuncDecl, *syntax.DeclClause, nil:
		return false
	}
	found := false
	syntax.Walk(s, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Word, *syntax.FuncDecl, *syntax.Subshell:
			return false
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				switch n.Args[0].Lit() {
				case "break", "continue", "return", "exit":
					found = true
				}
			}
		}
		return !found
	})
	return found
}

// leavesAny reports whether one of several statements leaves the loop or the function around it: see Leaves.
func leavesAny(list []*syntax.Stmt) bool { return slices.ContainsFunc(list, mayLeave) }

// mayAssign reports whether a text may change variables, directories or functions of the shell that runs it.
func mayAssign(file *syntax.File) bool {
	found := false
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Subshell, *syntax.CmdSubst:
			return false
		case *syntax.Assign, *syntax.FuncDecl, *syntax.DeclClause, *syntax.ForClause, *syntax.ArithmCmd, *syntax.LetClause:
			found = true
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				name := n.Args[0].Lit()
				found = found || name == "" || slices.Contains([]string{"read", "mapfile", "readarray", "eval", "source", ".", "set", "shift", "unset", "cd", "pushd", "popd", "getopts", "shopt"}, name)
			}
		}
		return !found
	})
	return found
}

// onlyReads reports whether a condition is nothing but a read of the next line.
func onlyReads(cond []*syntax.Stmt) bool {
	if len(cond) != 1 || len(cond[0].Redirs) > 0 || cond[0].Negated {
		return false
	}
	call, ok := cond[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 || call.Args[0].Lit() != "read" {
		return false
	}
	for _, w := range call.Args[1:] {
		if option := w.Lit(); option == "" || option[0] == '-' && option != "-r" && option != "-ra" && option != "-a" {
			return false
		}
	}
	return true
}

// splitChain takes a && b && c apart.
func splitChain(c *syntax.BinaryCmd) []*syntax.Stmt {
	x := c.X
	if left, ok := x.Cmd.(*syntax.BinaryCmd); ok && left.Op == syntax.AndStmt && !x.Negated && !x.Background && len(x.Redirs) == 0 {
		return append(splitChain(left), c.Y)
	}
	return []*syntax.Stmt{x, c.Y}
}

// cannotFail reports whether a statement cannot fail: what follows it behind && runs.
func cannotFail(s *syntax.Stmt) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || s.Negated || len(s.Redirs) > 0 {
		return false
	}
	return len(call.Args) > 0 && slices.Contains([]string{"true", ":", "echo", "printf", "set", "export"}, call.Args[0].Lit())
}

// isEndless reports whether the condition of a loop is one of the programs that always answer the same.
func isEndless(cond []*syntax.Stmt, always ...string) bool {
	if len(cond) != 1 {
		return false
	}
	call, ok := cond[0].Cmd.(*syntax.CallExpr)
	return ok && len(call.Args) == 1 && slices.Contains(always, call.Args[0].Lit())
}

// hasSubstitution reports whether a subscript holds a substitution: bash runs it even where it is quoted.
func hasSubstitution(x syntax.ArithmExpr) bool {
	found := false
	syntax.Walk(x, func(n syntax.Node) bool {
		_, is := n.(*syntax.CmdSubst)
		found = found || is
		return !found
	})
	return found
}

// rawText is what a word holds outside of quotes.
func rawText(w *syntax.Word) string {
	if w == nil {
		return ""
	}
	var b strings.Builder
	for _, p := range w.Parts {
		if l, ok := p.(*syntax.Lit); ok {
			b.WriteString(l.Value)
		}
	}
	return b.String()
}

const maxNest = 400 // brackets within brackets

// tooNested reports whether brackets are nested deeper than a limit.
func tooNested(text string) bool {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(', '{', '[', '`':
			depth++
		case ')', '}', ']':
			if depth > 0 {
				depth--
			}
		}
		if depth > maxNest {
			return true
		}
	}
	return false
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

// isCompound reports whether a command is more than a simple one.
func isCompound(c syntax.Command) bool {
	switch c.(type) {
	case *syntax.CallExpr, *syntax.BinaryCmd, nil:
		return false
	}
	return true
}

// runsInto reports whether the target of a redirection is a number that touches the next one, as in >0>x: for bash the
// number belongs to what follows.
func runsInto(rd, next *syntax.Redirect) bool {
	if rd.Word == nil || rd.Op == syntax.DplIn || rd.Op == syntax.DplOut || next.Pos() != rd.Word.End() {
		return false
	}
	name := rd.Word.Lit()
	return name != "" && strings.Trim(name, "0123456789") == ""
}

// quotedDelimiter reports whether the delimiter of a here-document is quoted: nothing in the text is expanded then.
func quotedDelimiter(w *syntax.Word) bool {
	for _, p := range w.Parts {
		l, ok := p.(*syntax.Lit)
		if !ok || strings.Contains(l.Value, `\`) {
			return true
		}
	}
	return false
}

// startsProcesses reports whether a function starts processes beside itself.
func startsProcesses(body *syntax.Stmt) bool {
	found := false
	syntax.Walk(body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			found = found || n.Background
		case *syntax.BinaryCmd:
			found = found || n.Op == syntax.Pipe || n.Op == syntax.PipeAll
		}
		return !found
	})
	return found
}

// isVersionedName reports whether a program's name is written out but for the number of its version: python$v.
func isVersionedName(w *syntax.Word, name string) bool {
	first, ok := w.Parts[0].(*syntax.Lit)
	if !ok || len(first.Value) < 2 || strings.ContainsAny(first.Value, `\/`) {
		return false
	}
	version, ok := strings.CutPrefix(name, first.Value)
	return ok && strings.Trim(version, "0123456789.-") == ""
}

// falseComment reports whether the parser takes for a comment what bash does not: after an array, as in a=(x)#; the word continues,
// and what follows runs.
func falseComment(file *syntax.File, text string) bool {
	found := false
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.Comment); ok {
			at := int(c.Hash.Offset())
			found = found || at > 0 && at < len(text) && strings.IndexByte(" \t\n;&|(", text[at-1]) < 0
		}
		return true
	})
	return found
}

// endsLoop reports whether the body of a loop ends it or waits, and whether it leaves programs running.
func endsLoop(body []*syntax.Stmt) (stops, leaves bool) {
	for _, s := range body {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Word:
				return false
			case *syntax.Stmt:
				leaves = leaves || n.Background
			case *syntax.CallExpr:
				if len(n.Args) > 0 {
					stops = stops || slices.Contains([]string{"break", "exit", "return", "sleep", "read", "wait", "kill", "inotifywait", "entr"}, n.Args[0].Lit())
				}
			}
			return true
		})
	}
	return stops, leaves
}

// rejoinWord reads the parts of a word again that braces have been expanded in: to bash, expanded braces are text. $x{a,b} means $xa and
// $xb, and {~,b}/c begins with a tilde.
func rejoinWord(parts []syntax.WordPart) []syntax.WordPart {
	var out []syntax.WordPart
	for _, p := range parts {
		lit, ok := p.(*syntax.Lit)
		switch {
		case ok && lit.Value == "": // {a,} and {$x,}: what is empty and not quoted is no word
			continue
		case !ok || len(out) == 0:
			out = append(out, p)
			continue
		}
		text := lit.Value
		if x, ok := out[len(out)-1].(*syntax.ParamExp); ok && x.Short && x.Index == nil && syntax.ValidName(x.Param.Value) {
			n := 0
			for n < len(text) && syntax.ValidName("x"+text[:n+1]) {
				n++
			}
			if n > 0 {
				name := *x.Param
				name.Value += text[:n]
				longer := *x
				longer.Param = &name
				out[len(out)-1] = &longer
			}
			text = text[n:]
		}
		if text == "" {
			continue
		}
		joined := *lit
		joined.Value = text
		if before, ok := out[len(out)-1].(*syntax.Lit); ok {
			joined.Value = before.Value + text
			out = out[:len(out)-1]
		}
		out = append(out, &joined)
	}
	return out
}

// assignedVariables returns the variables that an arithmetic expression may assign to: those on the left of an operator.
func assignedVariables(x syntax.ArithmExpr) []string {
	var names []string
	syntax.Walk(x, func(n syntax.Node) bool {
		var target syntax.ArithmExpr
		switch n := n.(type) {
		case *syntax.BinaryArithm:
			target = n.X
		case *syntax.UnaryArithm:
			target = n.X
		}
		if w, ok := target.(*syntax.Word); ok && len(w.Parts) == 1 {
			switch p := w.Parts[0].(type) {
			case *syntax.Lit:
				names = append(names, p.Value)
			case *syntax.ParamExp:
				names = append(names, p.Param.Value)
			}
		}
		return true
	})
	return names
}

// mayChangeVariables reports whether the expansion of words may change variables: $((i++)), ${x:=y}.
func mayChangeVariables(words []*syntax.Word) bool {
	found := false
	for _, w := range words {
		if len(w.Parts) == 1 && w.Lit() != "" {
			continue
		}
		syntax.Walk(w, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.UnaryArithm:
				found = found || n.Op == syntax.Inc || n.Op == syntax.Dec
			case *syntax.BinaryArithm:
				_, assigns := assignOperator(n.Op)
				found = found || assigns
			case *syntax.ParamExp:
				found = found || n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull)
			}
			return !found
		})
	}
	return found
}

// runsPath reports whether a statement is a simple command whose program is given by a path.
func runsPath(s *syntax.Stmt) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	return ok && len(call.Args) > 0 && strings.Contains(call.Args[0].Lit(), "/")
}
