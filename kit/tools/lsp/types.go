package lsp

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"unicode/utf8"
)

// Position is a place in a text: the line and the UTF-16 unit in it, both from 0.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Range is a part of a text. The end is not in it.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// fileRange is a part of a file.
type fileRange struct {
	URI   string `json:"uri"`
	Range Range  `json:"range"`

	// Of a link instead of a location.
	TargetURI   string `json:"targetUri"`
	TargetRange Range  `json:"targetSelectionRange"`
}

// Diagnostic is what a server says about a part of a file.
type Diagnostic struct {
	Range    Range           `json:"range"`
	Severity int             `json:"severity"` // 1 error, 2 warning, 3 information, 4 hint
	Source   string          `json:"source"`
	Message  string          `json:"message"`
	Code     json.RawMessage `json:"code,omitempty"`
}

// textEdit replaces a part of a text.
type textEdit struct {
	Range   Range  `json:"range"`
	NewText string `json:"newText"`
}

// workspaceEdit changes files.
type workspaceEdit struct {
	Changes         map[string][]textEdit `json:"changes"`
	DocumentChanges []struct {
		Kind         string `json:"kind"` // create, rename, delete; "" for edits
		TextDocument struct {
			URI string `json:"uri"`
		} `json:"textDocument"`
		Edits []textEdit `json:"edits"`
	} `json:"documentChanges"`
}

// Edits returns the edits of each file, by its path, and the operations on whole files that the change also has.
func (w *workspaceEdit) Edits() (edits map[string][]textEdit, operations []string) {
	edits = map[string][]textEdit{}
	for uri, e := range w.Changes {
		edits[pathOf(uri)] = append(edits[pathOf(uri)], e...)
	}
	for _, d := range w.DocumentChanges {
		if d.Kind != "" {
			operations = append(operations, d.Kind)
			continue
		}
		edits[pathOf(d.TextDocument.URI)] = append(edits[pathOf(d.TextDocument.URI)], d.Edits...)
	}
	return edits, operations
}

// symbolInfo is a symbol of a file or of the workspace. The protocol has two forms of it.
type symbolInfo struct {
	Name           string       `json:"name"`
	Detail         string       `json:"detail"`
	Kind           int          `json:"kind"`
	ContainerName  string       `json:"containerName"`
	Location       fileRange    `json:"location"`
	Range          Range        `json:"range"`
	SelectionRange Range        `json:"selectionRange"`
	Children       []symbolInfo `json:"children"`
}

// symbolKinds are the kinds of symbols, from 1.
var symbolKinds = strings.Fields("file module namespace package class method property field constructor enum interface function variable constant string number boolean array object key null enum-member struct event operator type-parameter")

// KindName returns the name of the symbol's kind.
func (s symbolInfo) KindName() string {
	if s.Kind < 1 || s.Kind > len(symbolKinds) {
		return "symbol"
	}
	return symbolKinds[s.Kind-1]
}

// uriOf returns the address of a file.
func uriOf(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// pathOf returns the file of an address; "" for an address that is none of a file.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	return filepath.FromSlash(path)
}

// countUnits counts the UTF-16 units of a text.
func countUnits(text string) int {
	n := 0
	for _, r := range text {
		n++
		if r >= 0x10000 {
			n++
		}
	}
	return n
}

// byteOffset returns the byte of a text at a position; one behind the end of a line is the end of the line.
func byteOffset(text string, p Position) int {
	at := 0
	for range p.Line {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i + 1
	}
	for units := 0; at < len(text) && text[at] != '\n' && units < p.Character; {
		r, size := utf8.DecodeRuneInString(text[at:])
		units++
		if r >= 0x10000 {
			units++
		}
		at += size
	}
	return at
}

// applyEdits makes the edits in a text. It fails when they overlap.
func applyEdits(text string, edits []textEdit) (string, error) {
	type span struct {
		from, to int
		text     string
	}
	spans := make([]span, len(edits))
	for i, e := range edits {
		spans[i] = span{byteOffset(text, e.Range.Start), byteOffset(text, e.Range.End), e.NewText}
	}
	sort.SliceStable(spans, func(i, j int) bool { return spans[i].from < spans[j].from })
	var b strings.Builder
	at := 0
	for _, s := range spans {
		if s.from < at || s.to < s.from {
			return "", fmt.Errorf("edits overlap")
		}
		b.WriteString(text[at:s.from] + s.text)
		at = s.to
	}
	return b.String() + text[at:], nil
}
