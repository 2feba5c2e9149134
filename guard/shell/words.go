package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"rein/guard/shell/fact"
	"rein/guard/shell/judge"
)

const maxBraces = 512 // words out of one brace expansion

// fields expands words as bash would, as far as that is known.
func (r *reader) fields(sc *judge.Scope, words []*syntax.Word) []fact.Value {
	var out []fact.Value
	for _, w := range words {
		for _, v := range r.wordFields(sc, w) {
			out = append(out, r.dashed(sc, v)...)
			out = append(out, v)
		}
	}
	return out
}

// dashed returns the names that a wildcard matches and that a program reads as options.
func (r *reader) dashed(sc *judge.Scope, v fact.Value) []fact.Value {
	first, _, deeper := strings.Cut(v.Text, "/")
	if sc.Cwd == "" || !strings.ContainsAny(first, "\x01\x02") || strings.IndexByte(first, fact.Hole) >= 0 {
		return nil
	}
	fact.Note(&r.Report.Wild, sc.Cwd)
	var out []fact.Value
	for _, p := range r.Ctx.Dashed {
		if r.options++; r.options > maxOptions {
			r.Found(fact.Unparsed, "wildcards and names that may be options, too many to follow")
			break
		}
		dir, name := path.Split(p)
		if ok, err := path.Match(fact.PlainGlob(first), name); path.Clean(dir) != sc.Cwd || err != nil || !ok {
			continue
		}
		if deeper {
			name += strings.TrimPrefix(v.Text, first)
		}
		out = append(out, fact.Value{Text: fact.NoUnknowns(name), Taint: fact.FromNames, Odd: true})
	}
	return out
}

func (r *reader) wordFields(sc *judge.Scope, w *syntax.Word) []fact.Value {
	if !strings.Contains(rawLits(w), "{") {
		return r.split(sc, w)
	}
	w = &syntax.Word{Parts: slices.Clone(w.Parts)} // the tree stays as it was parsed: it is walked again
	syntax.SplitBraces(w)
	var out []fact.Value
	count := 0
	for part, err := range expand.BracesSeq(nil, w) {
		if count++; err != nil || count > maxBraces {
			r.Found(fact.Unparsed, "braces expand to more than %d words", maxBraces)
			break
		}
		out = append(out, r.split(sc, part)...)
	}
	if count > 1 {
		for i := range out {
			out[i].Odd = true
		}
	}
	return out
}

func rawLits(w *syntax.Word) string {
	var b strings.Builder
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(p.Value)
		case *syntax.BraceExp:
			b.WriteByte('{')
		}
	}
	return b.String()
}

// one word as a single value, without splitting: as in assignments and redirections.
func (r *reader) word(sc *judge.Scope, w *syntax.Word) fact.Value {
	if w == nil {
		return fact.Value{}
	}
	x := &expansion{r: r, sc: sc, whole: true}
	x.parts(w.Parts, false)
	return x.value()
}

// split expands a word and splits what is unquoted at blanks.
func (r *reader) split(sc *judge.Scope, w *syntax.Word) []fact.Value {
	x := &expansion{r: r, sc: sc}
	x.parts(w.Parts, false)
	x.cut()
	if len(w.Parts) > 1 && len(x.done) > 0 {
		x.done[0].Split = x.quotes || x.done[0].Split
	}
	return x.done
}

// expansion is one word while it is expanded.
type expansion struct {
	r      *reader
	sc     *judge.Scope
	whole  bool // no splitting
	cur    fact.Value
	text   []byte // of cur
	open   bool   // cur is a word, even if it is empty
	quotes bool   // quotes were met
	done   []fact.Value
}

func (x *expansion) add(text string, t fact.Taint, odd bool) {
	if len(x.text)+len(text) > fact.MaxKnown {
		text, t = string(fact.Hole), t|fact.FromVariable // too long to carry on
		if n := len(x.text); n > 0 && x.text[n-1] == fact.Hole {
			text = ""
		}
	}
	x.text = append(x.text, text...)
	x.cur.Taint |= t
	x.cur.Odd = x.cur.Odd || odd
	x.open = true
}

// addFields adds expanded text: unquoted text splits into words.
func (x *expansion) addFields(v fact.Value, quoted bool) {
	if quoted || x.whole {
		x.add(v.Text, v.Taint, true)
		if quoted {
			x.open = true
		}
		return
	}
	isBlank := x.blanks()
	words := strings.FieldsFunc(v.Text, isBlank)
	if v.Text == "" || len(words) == 0 {
		x.cur.Odd = true
		return
	}
	if isBlank(rune(v.Text[0])) {
		x.cut()
	}
	for i, w := range words {
		if i > 0 {
			x.cut()
		}
		x.add(fact.Globbed(w), v.Taint, true)
	}
	if isBlank(rune(v.Text[len(v.Text)-1])) {
		x.cut()
	}
}

// blanks are the characters that split words: IFS, where it is set.
func (x *expansion) blanks() func(rune) bool {
	ifs, ok := x.sc.Vars["IFS"]
	if !ok || !ifs.Plain() {
		return fact.IsBlank
	}
	return func(c rune) bool { return strings.ContainsRune(ifs.Text, c) }
}

func (x *expansion) cut() {
	if x.open {
		x.done = append(x.done, x.value())
	}
	x.cur, x.text, x.open = fact.Value{}, nil, false
}

// value is the word as written.
func (x *expansion) value() fact.Value {
	x.cur.Text = string(x.text)
	return x.cur
}

func (x *expansion) parts(parts []syntax.WordPart, quoted bool) {
	for i, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			x.lit(p.Value, quoted, i == 0 && !quoted, i == len(parts)-1)
		case *syntax.SglQuoted:
			x.single(p)
		case *syntax.DblQuoted:
			x.open, x.quotes = true, true
			x.cur.Odd = x.cur.Odd || p.Dollar
			x.parts(p.Parts, true)
		case *syntax.ParamExp:
			x.param(p, quoted)
		case *syntax.CmdSubst:
			x.addFields(x.r.substitute(x.sc, p.Stmts), quoted)
		case *syntax.ArithmExp:
			x.r.arithm(x.sc, p.X)
			x.add(string(fact.Hole), fact.FromNumber, true)
		case *syntax.ProcSubst:
			x.proc(p)
		case *syntax.ExtGlob:
			x.add(string(fact.Star), 0, true)
			x.r.Found(fact.Unknown, "an extended pattern, which bash supports only with extglob")
			x.r.nested(x.sc, p)
		default:
			x.add(string(fact.Hole), fact.FromVariable, true)
		}
	}
}

func (x *expansion) single(p *syntax.SglQuoted) {
	text := p.Value
	x.quotes = true
	if p.Dollar {
		if s, _, err := expand.Format(nil, text, nil); err == nil {
			text = s
		}
		x.cur.Odd = true
	}
	x.add(fact.NoUnknowns(text), escaped(p.Dollar, p.Value), false)
}

// escaped is the taint of text whose letters are written as numbers.
func escaped(active bool, s string) fact.Taint {
	if !active {
		return 0
	}
	for i := 0; i+1 < len(s); i++ {
		if s[i] == '\\' && (s[i+1] == 'x' || s[i+1] == 'u' || s[i+1] == 'U' || s[i+1] >= '0' && s[i+1] <= '7') {
			return fact.FromDecoder
		}
	}
	return 0
}

// lit adds literal text: backslashes go, wildcards and a leading tilde live only outside quotes.
func (x *expansion) lit(s string, quoted, first, last bool) {
	if first && strings.HasPrefix(s, "~") {
		s = x.tilde(s, last)
	}
	if !strings.ContainsAny(s, "\\*?[~=:") || (quoted && !strings.Contains(s, "\\")) {
		x.add(s, 0, false)
		return
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\\' && i+1 < len(s):
			i++
			if s[i] == '\n' {
				break
			}
			if quoted && !strings.ContainsRune("$`\"\\", rune(s[i])) {
				b.WriteByte('\\')
			}
			if i > 1 {
				x.cur.Split = true
			}
			b.WriteByte(s[i])
		case quoted:
			b.WriteByte(c)
		case c == '*':
			b.WriteByte(fact.Star)
		case c == '?':
			b.WriteByte(fact.One)
		case c == '[' && strings.IndexByte(s[i+1:], ']') > 0 && !strings.HasSuffix(string(x.text)+b.String(), "://"):
			i += 1 + strings.IndexByte(s[i+1:], ']')
			b.WriteByte(fact.One)
		default:
			b.WriteByte(c)
		}
	}
	x.add(b.String(), 0, false)
}

// tilde expands ~, ~user, ~+ and ~- at the start of a word.
func (x *expansion) tilde(s string, last bool) string {
	end := strings.IndexByte(s, '/')
	if end < 0 {
		if !last {
			return s
		}
		end = len(s)
	}
	var dir string
	switch user := s[1:end]; user {
	case "":
		dir = x.r.Ctx.Home
	case "root":
		dir = "/root"
	case "+":
		dir = x.sc.Cwd
	case "-":
		dir = x.sc.Old
	default:
		dir = "/home/" + user
		if user == x.r.User() {
			dir = x.r.Ctx.Home
		}
	}
	if dir == "" {
		return s
	}
	return dir + s[end:]
}

// proc runs the command of <( ) or >( ); the word is a path that holds what it writes.
func (x *expansion) proc(p *syntax.ProcSubst) {
	x.r.joined++
	out := x.r.stmts(x.sc.Sub(), p.Stmts, fact.Data{Taint: fact.FromInput})
	x.r.joined--
	x.add("/dev/fd/63", out.Taint, true)
	x.cur.Proc = &out
}

// substitute runs a command substitution and gives its output.
func (r *reader) substitute(sc *judge.Scope, stmts []*syntax.Stmt) fact.Value {
	if r.depth >= maxDepth {
		r.Found(fact.Unparsed, "substitutions nested too deep")
		return fact.HoleOf(fact.FromVariable)
	}
	r.depth++
	r.joined++
	saved := r.Part
	defer func() { r.depth--; r.joined--; r.Part = max(saved, r.Part) }()
	if len(stmts) == 1 && stmts[0].Cmd == nil && len(stmts[0].Redirs) == 1 && stmts[0].Redirs[0].Op == syntax.RdrIn {
		in := r.ReadData(sc, r.word(sc, stmts[0].Redirs[0].Word)) // $(<file)
		return in.AsValue()
	}
	return r.stmts(sc.Sub(), stmts, fact.Data{Taint: fact.FromInput}).AsValue()
}

// arithm visits an arithmetic expression for what runs in it.
func (r *reader) arithm(sc *judge.Scope, x syntax.ArithmExpr) {
	if x != nil {
		r.nested(sc, x)
	}
}

// nested visits a node that is no word for substitutions within it, and for code hidden in quoted subscripts.
func (r *reader) nested(sc *judge.Scope, n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			r.substitute(sc, n.Stmts)
			return false
		case *syntax.ProcSubst:
			r.stmts(sc.Sub(), n.Stmts, fact.Data{Taint: fact.FromInput})
			return false
		case *syntax.SglQuoted:
			r.hiddenSubscript(n.Value)
		case *syntax.ParamExp:
			x := &expansion{r: r, sc: sc, whole: true}
			x.param(n, true)
			return false
		}
		return true
	})
}

// hiddenSubscript finds code in text that bash evaluates as arithmetic: 'a[$(x)]'.
func (r *reader) hiddenSubscript(s string) {
	if strings.Contains(s, "[") && (strings.Contains(s, "$(") || strings.Contains(s, "`")) {
		r.Found(fact.Dynamic, "code in the subscript of a quoted name")
	}
}
