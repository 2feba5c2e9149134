package shell

import (
	"maps"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"rein/guard/effect"
	"rein/kit/places"
)

// streams is what the redirections of one statement make of its input and output.
type streams struct {
	in    *data
	files []value // where standard output goes, instead of on
	net   bool    // output goes to the network
	gone  bool    // standard output does not continue
	aside bool    // standard output goes to another descriptor
	opens map[string]data
}

// redirect reads the redirections of a statement.
func (r *reader) redirect(sc *scope, redirs []*syntax.Redirect, in *data) *streams {
	s := &streams{in: in, opens: map[string]data{}}
	for i, rd := range redirs {
		if i+1 < len(redirs) && runsInto(rd, redirs[i+1]) {
			r.Found(effect.Unparsed, "a number between two redirections, which bash reads as a file descriptor")
		}
		if rd.Word != nil && rd.Word.Lit() == "\\" {
			r.Found(effect.Unparsed, "a redirection to nothing")
		}
		fd := ""
		if rd.N != nil {
			fd = rd.N.Value
		}
		if name, ok := strings.CutPrefix(fd, "{"); ok {
			sc.Set(strings.TrimSuffix(name, "}"), holeOf(fromNumber))
		}
		switch rd.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			d := r.heredoc(sc, rd)
			s.in = &d
		case syntax.WordHdoc:
			v := r.word(sc, rd.Word)
			d := textData(v.Text+"\n", v.Taint)
			if len(v.Else) > 0 {
				d = data{Taint: v.Taint | fromLost}
			}
			s.in = &d
		default:
			r.redirectFile(sc, s, rd, fd)
		}
	}
	return s
}

func (r *reader) redirectFile(sc *scope, s *streams, rd *syntax.Redirect, fd string) {
	var v value
	names := r.InDoubt(func() { v = r.fileWord(sc, rd.Word) })
	others := r.Readings(sc, names)
	if r.Rereading && len(names) > 0 {
		v = r.fileWord(sc, rd.Word)
	}
	for _, other := range others {
		r.Rereading = true
		r.redirectFile(other, s, rd, fd)
		r.Rereading = false
	}
	sc.EndReading(names)
	switch rd.Op {
	case syntax.DplIn:
		if d, ok := s.open(sc, v.Text); ok {
			s.in = &d
		}
		return
	case syntax.DplOut:
		if d, ok := s.open(sc, v.Text); ok && d.Taint&fromSocket != 0 {
			s.net = true
			return
		}
		if v.Text == "-" || (v.Text != "" && strings.Trim(v.Text, "0123456789-") == "") || v.Text == string(anyText) {
			s.aside = s.aside || (fd == "" || fd == "1") && v.Text != "1"
			r.swaps = r.swaps || fd != "" && fd != "1"
			return
		}
	}
	if to, ok := socketPath(v.Text); ok {
		r.Reaches(to)
		s.socket(rd.Op, fd)
		return
	}
	switch rd.Op {
	case syntax.RdrIn:
		d := r.ReadData(sc, v)
		if fd == "" || fd == "0" {
			s.in = &d
		} else {
			s.opens[fd] = d
		}
	case syntax.RdrInOut:
		r.Reads(sc, v)
		r.Writes(sc, v)
	default:
		r.Writes(sc, v)
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
	d, ok := sc.Fds[fd]
	return d, ok
}

// socketPath recognises bash's /dev/tcp/host/port.
func socketPath(p string) (to effect.Contact, ok bool) {
	for _, prefix := range []string{"/dev/tcp/", "/dev/udp/"} {
		if rest, ok := strings.CutPrefix(p, prefix); ok {
			host, port, _ := strings.Cut(rest, "/")
			to = effect.Contact{Host: host}
			to.Port, _ = strconv.Atoi(port) // 0 where it is not a number
			return to, true
		}
	}
	return effect.Contact{}, false
}

func (s *streams) socket(op syntax.RedirOperator, fd string) {
	d := data{Taint: fromSocket}
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
	sc.Sent = s.net
	maps.Copy(sc.Fds, s.opens)
	return sc
}

// finish sends the output of a statement to its redirections, and returns the rest.
func (s *streams) finish(r *reader, sc *scope, out data) data {
	sc.Sent = false
	for _, f := range s.files {
		if out.Taint&fromEndless != 0 && r.Locate(sc, f).Class != places.Sink {
			r.Effect(effect.Fill)
		}
		r.Wrote(sc, f, out)
	}
	if s.net {
		r.Sends(out.Taint, "through a socket")
		return data{Known: true}
	}
	switch {
	case s.gone, s.aside && !r.swaps && out.Known:
		return data{Known: true}
	case s.aside || sc.Aside:
		return eitherData(out, data{Known: true})
	}
	return out
}

// heredoc expands the body of a here-document, unless its delimiter is quoted.
func (r *reader) heredoc(sc *scope, rd *syntax.Redirect) data {
	if rd.Hdoc == nil {
		return data{Known: true}
	}
	x := &expansion{r: r, sc: sc, whole: true}
	quoted := quotedDelimiter(rd.Word)
	names := r.InDoubt(func() { r.heredocParts(x, rd, quoted) })
	if sc.EndReading(names); len(names) > 0 {
		return data{Taint: x.cur.Taint | fromLost}
	}
	return textData(string(x.text), x.cur.Taint)
}

func (r *reader) heredocParts(x *expansion, rd *syntax.Redirect, quoted bool) {
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
}
