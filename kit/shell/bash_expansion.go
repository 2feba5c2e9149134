package shell

import (
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"rein/guard/effect"
)

// fileWord expands the target of a redirection: a single value whose wildcards are alive.
func (r *reader) fileWord(sc *scope, w *syntax.Word) value {
	if w == nil {
		return value{}
	}
	x := &expansion{r: r, sc: sc, whole: true}
	x.parts(w.Parts, false)
	v := x.value()
	if x.live {
		v.Text = globbed(v.Text)
	}
	return v
}

// split expands a word and splits what is unquoted at the characters of IFS.
func (r *reader) split(sc *scope, w *syntax.Word) []value {
	x := &expansion{r: r, sc: sc}
	x.parts(w.Parts, false)
	x.cut()
	if x.extra != 0 {
		x.done = append(x.done, value{Text: string(anyText), Taint: x.extra, Odd: true, Many: true})
	}
	if len(w.Parts) > 1 && len(x.done) > 0 {
		x.done[0].Split = x.quotes || x.done[0].Split
	}
	return x.done
}

// expansion is one word while it is expanded.
type expansion struct {
	r      *reader
	sc     *scope
	whole  bool // no splitting
	plain  bool // wildcards are letters
	live   bool // an unquoted expansion was met
	cur    value
	text   []byte // of cur
	open   bool   // cur is a word, even if it is empty
	quotes bool   // quotes were met
	none   bool   // the current quotes hold nothing but "$@" without elements
	ended  bool   // a blank has just ended a field: the next delimiter belongs to it
	done   []value
	// extra is where unknown unquoted text comes from that may be any number of words; 0 where there is none.
	extra taint
}

func (x *expansion) add(text string, t taint, odd bool) {
	if len(x.text)+len(text) > maxKnown {
		text, t = string(anyText), t|fromLost // too long to carry on
		if n := len(x.text); n > 0 && x.text[n-1] == anyText {
			text = ""
		}
	}
	x.text = append(x.text, text...)
	x.cur.Taint |= t
	x.cur.Odd = x.cur.Odd || odd
	x.open, x.ended = true, false
}

// addFields adds expanded text: unquoted text splits into words.
func (x *expansion) addFields(v value, quoted bool) {
	x.r.steps += len(v.Text) >> 8 // long texts cost time
	x.cur.Unsure, x.cur.Many = x.cur.Unsure || v.Unsure, x.cur.Many || v.Many
	if quoted || x.whole {
		x.live = x.live || !quoted
		x.add(v.Text, v.Taint, true)
		return
	}
	x.cur.Odd = true
	if v.Wild() {
		x.extra |= v.Taint
	}
	ifs, _ := x.r.Lookup(x.sc, "IFS")
	if !ifs.Plain() {
		x.extra |= fromLost
		x.add(string(anyText), v.Taint|fromLost, true)
		return
	}
	s := fieldSplitter{IFS: ifs.Text}
	start := 0
	flush := func(end int) {
		if start < end {
			text := v.Text[start:end]
			if !x.sc.NoGlobs {
				text = globbed(text)
			}
			x.add(text, v.Taint, true)
			x.cur.Many = x.cur.Many || strings.IndexByte(text, anyText) >= 0 && v.Taint&^textDigits != 0
		}
	}
	for i := 0; i < len(v.Text); i++ {
		c := v.Text[i]
		if !s.Is(c) {
			continue
		}
		flush(i)
		start = i + 1
		switch {
		case s.Blank(c):
			if x.open {
				x.cut()
				x.ended = true
			}
		case x.open:
			x.cut()
		case x.ended: // the delimiter of the field that a blank has ended
			x.ended = false
		default:
			x.add("", v.Taint, true)
			x.cut()
		}
	}
	flush(len(v.Text))
}

func (x *expansion) cut() {
	if x.open {
		x.done = append(x.done, x.value())
	}
	x.cur, x.text, x.open, x.ended = value{}, nil, false, false
}

// value is the word as written.
func (x *expansion) value() value {
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
			x.double(p)
		case *syntax.ParamExp:
			x.param(p, quoted)
		case *syntax.CmdSubst:
			x.addFields(x.substitution(p), quoted)
		case *syntax.ArithmExp:
			x.addFields(x.r.arithmetic(x.sc, p.X), quoted)
		case *syntax.ProcSubst:
			x.proc(p)
		case *syntax.ExtGlob:
			x.add(string(anyGlob), 0, true)
			x.r.Found(effect.Unknown, "an extended pattern, which bash supports only with extglob")
			x.r.nested(x.sc, p)
		default:
			x.add(string(anyText), fromLost, true)
		}
	}
}

func (x *expansion) double(p *syntax.DblQuoted) {
	x.quotes = true
	x.cur.Odd = x.cur.Odd || p.Dollar
	x.none = false
	x.parts(p.Parts, true)
	if !(x.none && len(p.Parts) == 1) {
		x.open, x.ended = true, false
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
	x.add(noUnknowns(text), escaped(p.Dollar, p.Value), false)
}

// lit adds literal text: backslashes go, wildcards and a leading tilde live only outside quotes.
func (x *expansion) lit(s string, quoted, first, last bool) {
	if first && strings.HasPrefix(s, "~") {
		s = x.tilde(s, last)
	} else if first && !x.plain && strings.Contains(s, "~") && strings.Contains(s, "=") {
		s = x.assigned(s)
	}
	live := !quoted && !x.plain && !x.sc.NoGlobs // wildcards are alive
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
		case !live:
			b.WriteByte(c)
		case c == '*':
			b.WriteByte(anyGlob)
		case c == '?':
			b.WriteByte(oneGlob)
		case c == '[' && strings.IndexByte(s[i+1:], ']') > 0 && !strings.HasSuffix(string(x.text)+b.String(), "://"):
			i += 1 + strings.IndexByte(s[i+1:], ']')
			b.WriteByte(oneGlob)
		default:
			b.WriteByte(c)
		}
	}
	x.add(b.String(), 0, false)
}

// assigned expands the tildes of a word that looks like an assignment, as bash does in any word: x=~/a:~/b.
func (x *expansion) assigned(s string) string {
	name, value, _ := strings.Cut(s, "=")
	if !syntax.ValidName(strings.TrimSuffix(name, "+")) {
		return s
	}
	dirs := strings.Split(value, ":")
	for i, dir := range dirs {
		if strings.HasPrefix(dir, "~") {
			dirs[i] = x.tilde(dir, true)
		}
	}
	return name + "=" + strings.Join(dirs, ":")
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
		home, _ := x.r.Lookup(x.sc, "HOME")
		x.cur.Taint |= home.Taint
		dir = home.Text
	case "root":
		dir = "/root"
	case "+":
		dir = x.sc.Cwd
	case "-":
		if dir = x.sc.Old; dir == x.sc.Cwd { // before the first cd, the shell may have none
			x.cur.Taint |= fromLost
			dir = string(anyText)
		}
	default:
		if strings.Trim(user, "+-0123456789") == "" { // an entry of the stack of directories
			x.cur.Taint |= fromLost
			return string(anyText) + s[end:]
		}
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
	out := x.r.stmts(x.sc.Sub(), p.Stmts, data{Taint: fromInput})
	x.r.joined--
	x.add("/dev/fd/63", out.Taint, true)
	x.cur.Proc = &out
}

// substitute runs a command substitution and returns its output.
func (r *reader) substitute(sc *scope, stmts []*syntax.Stmt) value {
	if r.depth >= maxDepth {
		r.Found(effect.Unparsed, "substitutions nested too deep")
		return holeOf(fromVariable)
	}
	r.depth++
	r.joined++
	saved := r.Part
	defer func() { r.depth--; r.joined--; r.Part = max(saved, r.Part) }()
	if len(stmts) == 1 && stmts[0].Cmd == nil && len(stmts[0].Redirs) == 1 && stmts[0].Redirs[0].Op == syntax.RdrIn {
		in := r.ReadData(sc, r.word(sc, stmts[0].Redirs[0].Word)) // $(<file)
		return in.AsValue()
	}
	traps := len(r.traps)
	out := r.stmts(sc.Sub(), stmts, data{Taint: fromInput})
	if len(r.traps) > traps { // they write to it, too
		return holeOf(out.Taint | fromLost)
	}
	return out.AsValue()
}
