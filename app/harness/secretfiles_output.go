package harness

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
)

// mostTree is the size in bytes up to which a directory of a commit is read.
const mostTree = 64 << 20

// outputReader is what reads the output of git while it comes.
type outputReader interface {
	io.Writer
	end() error // after the last byte
}

var errCut = errors.New("git did not print all")

// outputLines gives each line, without its last byte.
type outputLines struct {
	last byte
	take func(line []byte)
	rest []byte
}

// Write takes the next part.
func (l *outputLines) Write(p []byte) (int, error) {
	n := len(p)
	for {
		line, rest, ok := bytes.Cut(p, []byte{l.last})
		if !ok {
			l.rest = append(l.rest, p...)
			return n, nil
		}
		if len(l.rest) > 0 {
			line = append(l.rest, line...)
			l.rest = l.rest[:0]
		}
		l.take(line)
		p = rest
	}
}

func (l *outputLines) end() error {
	if len(l.rest) > 0 {
		return errCut
	}
	return nil
}

// unknownTrees collects the names of directories that are not known, as many as one run of git reads.
type unknownTrees struct {
	known map[objectID]struct{}
	found bytes.Buffer
	count int
}

func (t *unknownTrees) take(line []byte) {
	kind, name, _ := strings.Cut(string(line), " ")
	if kind != "tree" || t.count == mostTrees {
		return
	}
	if _, known := t.known[objectIDOf(name)]; !known {
		t.found.WriteString(name + "\n")
		t.count++
	}
}

// settle notes that the directories were read.
func (t *unknownTrees) settle() {
	for name := range strings.Lines(t.found.String()) {
		t.known[objectIDOf(strings.TrimSpace(name))] = struct{}{}
	}
}

// objectReader reads what git cat-file --batch prints: a line with name, type and size, the object, and a newline.
type objectReader struct {
	most  int  // bytes that are kept of an object
	whole bool // one with more bytes is an error
	take  func(name string, text []byte)
	head  []byte // the line, while it is not complete
	name  string
	text  []byte
	left  int // bytes of the object and its newline that are still to come
	cut   bool
}

// Write takes the next part.
func (o *objectReader) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		if o.left == 0 {
			i := bytes.IndexByte(p, '\n')
			if i < 0 {
				o.head = append(o.head, p...)
				return n, nil
			}
			o.begin(string(append(o.head, p[:i]...)))
			o.head, p = o.head[:0], p[i+1:]
			continue
		}
		part := p[:min(len(p), o.left)]
		o.left -= len(part)
		p = p[len(part):]
		o.text = append(o.text, part[:min(len(part), o.most+1-len(o.text))]...)
		if o.left == 0 {
			o.cut = o.cut || len(o.text) > o.most
			o.take(o.name, o.text[:min(len(o.text)-1, o.most)])
			o.text = o.text[:0]
		}
	}
	return n, nil
}

// begin reads the line before an object. One that is missing has none of the three parts: git itself cannot show it.
func (o *objectReader) begin(line string) {
	fields := strings.Fields(line)
	if len(fields) != 3 {
		return
	}
	if size, err := strconv.Atoi(fields[2]); err == nil && size >= 0 {
		o.name, o.left = fields[0], size+1
	}
}

func (o *objectReader) end() error {
	if o.left > 0 || len(o.head) > 0 || o.whole && o.cut {
		return errCut
	}
	return nil
}
