package shell

import (
	"slices"
	"strings"

	"rein/guard/effect"
)

// A path that a program text puts together is judged as what comes out, where that can be seen. Where it cannot, the text may open any
// file, and asks.

// folded returns the tokens with strings in place of what puts literal strings together: 'a'+'b', "a" . "b", 'a' 'b', '%sb' % 'a',
// a list that is joined, paste0("a", "b"), 'ba'[::-1]. It returns nil where nothing is put together. side says that strings side by side
// are one, as in Python and awk.
func folded(tokens []token, side bool) []token {
	var out []token
	for i := 0; i < len(tokens); {
		t := tokens[i]
		if s, next := joinedCall(tokens, i); next > i {
			t, i = token{Str: s, IsStr: true}, next
		} else if i++; !t.IsStr || t.Sym != 0 {
			out = append(out, t)
			continue
		}
		for {
			s, next := moreOf(tokens, i, t.Str, side)
			if next == i || len(s) > 4096 {
				break
			}
			t.Str, i = s, next
		}
		out = append(out, t)
	}
	if len(out) == len(tokens) {
		return nil
	}
	return out
}

// moreOf returns a string with what is done to it behind it: another string, what fills its places, its letters backwards.
func moreOf(tokens []token, i int, s string, side bool) (string, int) {
	next := tokenAt(tokens, i)
	switch {
	case side && next.IsStr && next.Sym == 0:
		return s + next.Str, i + 1
	case next.Sym == '%' && tokenAt(tokens, i+1).IsStr && strings.Contains(s, "%s"):
		return strings.Replace(s, "%s", tokens[i+1].Str, 1), i + 2
	case next.Sym == '/' && tokenAt(tokens, i+1).IsStr: // Path('a') / 'b'
		return s + "/" + tokens[i+1].Str, i + 2
	case next.Sym == '[' && tokenAt(tokens, i+1).Sym == ':' && tokenAt(tokens, i+2).Sym == ':' && tokenAt(tokens, i+3).Sym == '-' && tokenAt(tokens, i+4).Word == "1":
		b := []byte(s)
		slices.Reverse(b)
		return string(b), i + 6
	}
	if next.Sym == '.' {
		switch tokenAt(tokens, i+1).Word {
		case "join", "format", "concat":
			list, end := literalList(tokens, i+2)
			if end == i+2 {
				break
			}
			switch tokens[i+1].Word {
			case "join":
				return strings.Join(list, s), end
			case "format":
				for _, part := range list {
					s = strings.Replace(s, "{}", part, 1)
				}
				return s, end
			}
			return s + strings.Join(list, ""), end
		}
	}
	for j := i; j < i+2; j++ { // one sign, or two: + . .. * ~ ^ <> ++ ||
		if sym := tokenAt(tokens, j).Sym; sym == 0 || strings.IndexByte("+.*~^<>|&", sym) < 0 {
			break
		}
		after, end := tokenAt(tokens, j+1), j+2
		if after.Sym == '(' && tokenAt(tokens, j+3).Sym == ')' {
			after, end = tokens[j+2], j+4
		}
		if after.IsStr && after.Sym == 0 {
			return s + after.Str, end
		}
	}
	return s, i
}

// joinedCall reads a call that puts literal strings together, or a list of them that is joined. next is i where there is none.
func joinedCall(tokens []token, i int) (s string, next int) {
	switch tokens[i].Word {
	case "os.sep", "path.sep", "os.path.sep":
		return "/", i + 1
	case "os.pardir":
		return "..", i + 1
	}
	sep, is := codeJoins().Group(tokens[i].Word), tokens[i].Word != ""
	if is && sep != "" {
		list, end := literalList(tokens, i+1)
		if end == i+1 {
			return "", i
		}
		if sep == "directories" {
			return strings.Join(list, "/"), end
		}
		return strings.Join(list, ""), end
	}
	if tokens[i].Sym == '[' {
		list, end := literalList(tokens, i)
		if end > i && tokenAt(tokens, end).Sym == '.' && tokenAt(tokens, end+1).Word == "join" {
			with, after := literalList(tokens, end+2)
			return strings.Join(list, strings.Join(with, "")), after
		}
	}
	return "", i
}

// literalList reads strings in brackets, of one kind or two, with or without commas, and returns the index behind them; i itself where there
// is something else. Lisp has its bracket before the name of the function.
func literalList(tokens []token, i int) (list []string, next int) {
	depth, j := 0, i
	for ; j < len(tokens) && j < i+64; j++ {
		switch t := tokens[j]; {
		case t.IsStr && t.Sym == 0:
			list = append(list, t.Str)
		case t.Word == "os.sep" || t.Word == "path.sep":
			list = append(list, "/")
		case t.Sym == '(' || t.Sym == '[':
			depth++
		case t.Sym == ')' || t.Sym == ']':
			if depth--; depth <= 0 && len(list) > 0 {
				return list, j + 1
			}
			if depth <= 0 {
				return nil, i
			}
		case t.Sym != ',':
			return nil, i
		}
	}
	return nil, i
}

// hidesPath reports whether a program text makes the name of a file of letters that it computes: chr(46), fromCharCode, a decoded literal.
func hidesPath(tokens []token) bool {
	for i, t := range tokens {
		if t.IsStr && (strings.Contains(t.Str, "chr(") || strings.Contains(t.Str, "fromCharCode(")) { // f'{chr(46)}env'
			return true
		}
		if t.Word == "Buffer.from" && tokenAt(tokens, i+2).IsStr && tokenAt(tokens, i+3).Sym == ',' {
			return true
		}
		if t.Word == "" || !codeLetters().Has(lastName(t.Word)) {
			continue
		}
		j := i + 1
		for sym := tokenAt(tokens, j).Sym; sym == '(' || sym == '['; sym = tokenAt(tokens, j).Sym {
			j++
		}
		arg := tokenAt(tokens, j)
		if j > i+1 && (arg.IsStr || arg.Word != "" && isDigit(arg.Word[0]) && !strings.Contains(" 0 9 10 13 32 34 39 92 96 ", " "+arg.Word+" ")) {
			return true
		}
		if tokenAt(tokens, i-1).Sym == '.' && tokenAt(tokens, i-2).IsStr && tokenAt(tokens, j).Sym == ')' { // "vne.".reverse()
			return true
		}
	}
	return false
}

// opensUnseen reports whether a function that opens a file gets a name that begins with a known text and goes on with an unknown one, so
// that it may be in any directory, or a hidden file.
func (r *scripts) opensUnseen(sc *scope, tokens []token, v value) bool {
	for i, t := range tokens {
		switch lastName(t.Word) {
		case "environ", "getenv", "env", "ENV", "input", "gets", "readline":
			if opens(enclosing(tokens, i)) {
				return true
			}
		}
		if !t.IsStr || t.Str == "" || strings.IndexByte("./~", t.Str[0]) < 0 && !strings.Contains(t.Str, "..") {
			continue
		}
		before, after := tokenAt(tokens, i-1), tokenAt(tokens, i+1)
		if before.Word == "f" { // f'.{x}'
			before = tokenAt(tokens, i-2)
		} else if i := strings.IndexAny(t.Str, "{$"); i < 0 || t.Sym == 0 {
			if after.Sym == 0 || strings.IndexByte("+.*~^<", after.Sym) < 0 || tokenAt(tokens, i+2).Word == "" && after.Sym == '.' {
				continue
			}
		}
		if before.Sym != '(' && before.Word == "" || !opens(enclosing(tokens, i)) {
			continue
		}
		known, _, _ := strings.Cut(t.Str, "{")
		known = strings.TrimRight(known, "$")
		if s := r.Locate(sc, v.With(known+"x")); known == "" || s.Free || !strings.HasSuffix(known, "/") || !r.InWork(s.Abs) && ReadClass(s.Class) != effect.Read {
			return true
		}
	}
	return false
}

// judgePaths notes that a program text may open files that cannot be seen in it. The kind is the worst that it may be.
func (r *scripts) judgePaths(sc *scope, f codeFacts, tokens []token, v value) {
	touches := f.Reads || f.Writes || f.Removes || f.Includes
	if !touches && !f.Home {
		return
	}
	hides := touches && hidesPath(tokens)
	if !hides && !f.Home && !(touches && r.opensUnseen(sc, tokens, v)) {
		return
	}
	switch {
	case f.Removes:
		r.Found(effect.Wipe, "removes files whose names it puts together, or that are in the home directory")
	case f.Writes:
		r.Found(effect.OutsideWrite, "writes a file whose name it puts together, or that is in the home directory")
	case hides:
		r.Found(effect.Private, "opens a file whose name it computes")
	case f.Home:
		r.Found(effect.OutsideRead, "names the home directory")
	default:
		r.Found(effect.OutsideRead, "opens a file whose name is not known before it runs")
	}
}

// interpolated returns the text of a command in a program text with what the program puts into it: the home directory, where it is that, and
// unknown text elsewhere.
func (r *scripts) interpolated(s string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, "${")
		if j := strings.Index(s, "#{"); i < 0 || j >= 0 && j < i {
			i = j
		}
		end := -1
		if i >= 0 {
			end = strings.IndexByte(s[i:], '}')
		}
		if end < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		if namesHome(s[i : i+end+1]) {
			b.WriteString(r.Ctx.Home)
		} else {
			b.WriteByte(anyText)
		}
		s = s[i+end+1:]
	}
}

// namesHome reports whether a text has an expression of a common language that gives the home directory.
func namesHome(s string) bool {
	if !strings.Contains(s, "HOME") && !strings.Contains(s, "home") && !strings.Contains(s, "expanduser") {
		return false
	}
	for text := range codeHomeTexts() {
		if strings.Contains(s, text) {
			return true
		}
	}
	return false
}
