package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"rein/places"
)

// streams is what the redirections of one statement make of its input and output.
type streams struct {
	in    *data
	files []value // where standard output goes, instead of on
	net   bool    // output goes to the network
	gone  bool    // standard output does not go on
	opens map[string]data
}

// redirect reads the redirections of a statement.
func (r *reader) redirect(sc *scope, redirs []*syntax.Redirect, in *data) *streams {
	s := &streams{in: in, opens: map[string]data{}}
	for i, rd := range redirs {
		if i+1 < len(redirs) && runsInto(rd, redirs[i+1]) {
			r.found(Unparsed, "a number between two redirections, which bash reads as a file descriptor")
		}
		if rd.Word != nil && rd.Word.Lit() == "\\" {
			r.found(Unparsed, "a redirection to nothing")
		}
		fd := ""
		if rd.N != nil {
			fd = rd.N.Value
		}
		switch rd.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			d := r.heredoc(sc, rd)
			s.in = &d
		case syntax.WordHdoc:
			v := r.word(sc, rd.Word)
			d := textData(v.text+"\n", v.taint)
			s.in = &d
		default:
			r.redirectFile(sc, s, rd, fd)
		}
	}
	return s
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

func (r *reader) redirectFile(sc *scope, s *streams, rd *syntax.Redirect, fd string) {
	v := r.word(sc, rd.Word)
	switch rd.Op {
	case syntax.DplIn:
		if d, ok := s.open(sc, v.text); ok {
			s.in = &d
		}
		return
	case syntax.DplOut:
		if d, ok := s.open(sc, v.text); ok && d.taint&fromSocket != 0 {
			s.net = true
			return
		}
		if v.text == "-" || (v.text != "" && strings.Trim(v.text, "0123456789-") == "") || v.text == string(hole) {
			return
		}
	}
	if to, ok := socketPath(v.text); ok {
		r.reaches(to)
		s.socket(rd.Op, fd)
		return
	}
	switch rd.Op {
	case syntax.RdrIn:
		d := r.readData(sc, v)
		if fd == "" || fd == "0" {
			s.in = &d
		} else {
			s.opens[fd] = d
		}
	case syntax.RdrInOut:
		r.reads(sc, v)
		r.writes(sc, v)
	default:
		r.writes(sc, v)
		if fd == "" || fd == "1" {
			s.files, s.gone = append(s.files, v), true
		}
	}
}

// open returns a descriptor that this statement or an exec before it opened.
func (s *streams) open(sc *scope, fd string) (data, bool) {
	if d, ok := s.opens[fd]; ok {
		return d, true
	}
	d, ok := sc.fds[fd]
	return d, ok
}

// socketPath recognises bash's /dev/tcp/host/port.
func socketPath(p string) (to Contact, ok bool) {
	for _, prefix := range []string{"/dev/tcp/", "/dev/udp/"} {
		if rest, ok := strings.CutPrefix(p, prefix); ok {
			host, port, _ := strings.Cut(rest, "/")
			to = Contact{Host: host}
			to.Port, _ = strconv.Atoi(port) // 0 where it is not a number
			return to, true
		}
	}
	return Contact{}, false
}

func (s *streams) socket(op syntax.RedirOperator, fd string) {
	d := data{taint: fromSocket}
	switch op {
	case syntax.RdrIn:
		s.in = &d
	case syntax.RdrInOut:
		if fd == "" || fd == "0" {
			s.in = &d
		}
	default:
		s.net = true
	}
	if fd != "" {
		s.opens[fd] = d
	}
}

// scope is the scope in which the statement itself runs: it knows where its output goes and which descriptors are open.
func (s *streams) scope(sc *scope) *scope {
	sc.sent = s.net
	for fd, d := range s.opens {
		sc.fds[fd] = d
	}
	return sc
}

// finish sends the output of a statement to its redirections, and returns the rest.
func (s *streams) finish(r *reader, sc *scope, out data) data {
	sc.sent = false
	for _, f := range s.files {
		if out.taint&fromEndless != 0 && r.locate(sc, f).class != places.Sink {
			r.effect(Fill)
		}
		r.wrote(sc, f, out)
	}
	if s.net {
		r.sends(out.taint, "through a socket")
		return data{known: true}
	}
	if s.gone {
		return data{known: true}
	}
	return out
}

// heredoc expands the body of a here-document, unless its delimiter is quoted.
func (r *reader) heredoc(sc *scope, rd *syntax.Redirect) data {
	if rd.Hdoc == nil {
		return data{known: true}
	}
	x := &expansion{r: r, sc: sc, whole: true}
	quoted := quotedDelimiter(rd.Word)
	for _, p := range rd.Hdoc.Parts {
		if l, ok := p.(*syntax.Lit); ok {
			text := l.Value
			if rd.Op == syntax.DashHdoc {
				text = strings.ReplaceAll("\n"+text, "\n\t", "\n")[1:]
			}
			if !quoted {
				text = strings.NewReplacer(`\$`, "$", "\\`", "`", `\\`, `\`, "\\\n", "").Replace(text)
			}
			x.add(noUnknowns(text), 0, false)
			continue
		}
		x.parts([]syntax.WordPart{p}, true)
	}
	return textData(string(x.text), x.cur.taint)
}

func quotedDelimiter(w *syntax.Word) bool {
	for _, p := range w.Parts {
		l, ok := p.(*syntax.Lit)
		if !ok || strings.Contains(l.Value, `\`) {
			return true
		}
	}
	return false
}

// readData reads a file for its contents: what the line itself wrote is known.
func (r *reader) readData(sc *scope, v value) data {
	if v.proc != nil {
		return *v.proc
	}
	r.reads(sc, v)
	if w, ok := sc.written[r.absolute(sc, v)]; ok {
		return w.data
	}
	return data{taint: v.taint&(fromNet|fromDecoder|fromSocket) | r.contents(sc, v)}
}

// wrote remembers what a file holds now.
func (r *reader) wrote(sc *scope, v value, d data) {
	if abs := r.absolute(sc, v); abs != "" {
		if before, ok := sc.written[abs]; ok {
			d = concat(before.data, d)
		}
		sc.written[abs] = written{data: d}
	}
}
