package eval

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"go.yaml.in/yaml/v3"

	"rein/internal/plainfile"
)

// Corpus is labelled data of one kind, and how an answer is judged.
type Corpus struct {
	Name  string
	About string
	Own   []string // the arguments of rein that answer it

	groups  []string // of verdicts, in the order of the table; none: as they come
	figures []figure
	ask     func(r *benchRow, o BenchOptions) any // what a program gets of a row, with its id; nil: the row is not asked
	judge   func(r *benchRow, o BenchOptions, answer []byte) (group, verdict string)
	right   []string // verdicts that are no misses
}

// figure is a share of the rows of a group: those with one of the verdicts.
type figure struct {
	name     string
	group    string // "": all
	verdicts []string
}

// BenchOptions choose how a corpus is put.
type BenchOptions struct {
	Mode   string // of the guard: supervised (""), read-only or full
	Pieces string // of dialects: whole (""), chunks or bytes
}

// Bench is a corpus with its rows.
type Bench struct {
	Corpus
	BenchOptions
	rows []*benchRow
}

// Score is what a program got right.
type Score struct {
	Corpus  string     `json:"corpus"`
	Rows    int        `json:"rows"`
	Right   int        `json:"right"`
	Missing int        `json:"missing"` // rows without an answer
	Figures []Figure   `json:"figures"`
	Groups  []Verdicts `json:"groups"`
	Misses  []Miss     `json:"-"`
}

// Figure is a share in %.
type Figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Of    int     `json:"of"` // rows
}

// Verdicts are the numbers of the verdicts of a group of rows.
type Verdicts struct {
	Group string         `json:"group"`
	Rows  int            `json:"rows"`
	Count map[string]int `json:"count"`
}

// Miss is a row that was not answered right.
type Miss struct {
	ID      string          `json:"id"`
	Verdict string          `json:"verdict"`
	Row     json.RawMessage `json:"row"`
	Answer  json.RawMessage `json:"answer"` // null: there was none
}

// Corpora are the corpora, in the order in which they are listed.
func Corpora() []Corpus {
	return []Corpus{editCorpus, dialectsCorpus, schemaCorpus, repairCorpus, guardCorpus}
}

// OpenBench reads a corpus from a directory: NAME.jsonl, or NAME.jsonl.zst.
func OpenBench(dir, name string, o BenchOptions) (*Bench, error) {
	i := slices.IndexFunc(Corpora(), func(c Corpus) bool { return c.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("there is no corpus %q: rein bench lists them", name)
	}
	b := &Bench{Corpus: Corpora()[i], BenchOptions: o}
	file := filepath.Join(dir, name+".jsonl")
	text, err := plainfile.ReadNamed(file)
	if errors.Is(err, os.ErrNotExist) {
		file += ".zst"
		if text, err = plainfile.ReadNamed(file); err == nil {
			text, err = unpacked(text)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the corpus %s: %w", name, err)
	}
	for n, line := range bytes.Split(text, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		r := &benchRow{raw: line}
		if err := json.Unmarshal(line, r); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n+1, err)
		}
		for _, inner := range r.unfold() {
			if b.ask(inner, o) != nil {
				b.rows = append(b.rows, inner)
			}
		}
	}
	return b, nil
}

// mostUnpacked bounds a corpus in bytes.
const mostUnpacked = 256 << 20

func unpacked(packed []byte) ([]byte, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(mostUnpacked))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.DecodeAll(packed, nil)
}

// Ask writes the questions, a line of JSON each.
func (b *Bench) Ask(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	for _, r := range b.rows {
		if err := e.Encode(b.ask(r, b.BenchOptions)); err != nil {
			return err
		}
	}
	return out.Flush()
}

// mostAnswer is the longest line of an answer, in bytes.
const mostAnswer = 64 << 20

// Score judges the answers, a line of JSON with the id of its row each, in any order. A line that is none, or whose id is no row's, is an error:
// then nothing is known.
func (b *Bench) Score(answers io.Reader) (*Score, error) {
	byID := map[string][]byte{}
	lines := bufio.NewScanner(answers)
	lines.Buffer(make([]byte, 1<<16), mostAnswer)
	for lines.Scan() {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		var a struct {
			ID *string `json:"id"`
		}
		if err := json.Unmarshal(line, &a); err != nil || a.ID == nil {
			return nil, fmt.Errorf("an answer is no line of JSON with an id: %s", short(string(line)))
		}
		byID[*a.ID] = slices.Clone(line)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	s := &Score{Corpus: b.Name, Rows: len(b.rows)}
	groups := map[string]*Verdicts{}
	for _, r := range b.rows {
		answer := byID[r.ID]
		delete(byID, r.ID)
		group, verdict := b.judge(r, b.BenchOptions, answer)
		if answer == nil {
			verdict = "missing"
			s.Missing++
		}
		g := groups[group]
		if g == nil {
			g = &Verdicts{Group: group, Count: map[string]int{}}
			groups[group] = g
		}
		g.Rows++
		g.Count[verdict]++
		if slices.Contains(b.right, verdict) {
			s.Right++
		} else {
			s.Misses = append(s.Misses, Miss{r.ID, verdict, r.raw, json.RawMessage(cmp.Or(string(answer), "null"))})
		}
	}
	for id := range byID {
		return nil, fmt.Errorf("there is an answer with the id %q, but no such row", id)
	}
	for _, g := range groups {
		s.Groups = append(s.Groups, *g)
	}
	slices.SortFunc(s.Groups, func(x, y Verdicts) int {
		return cmp.Or(cmp.Compare(b.place(x.Group), b.place(y.Group)), cmp.Compare(y.Rows, x.Rows), strings.Compare(x.Group, y.Group))
	})
	s.figure(b.figures)
	return s, nil
}

func (b *Bench) place(group string) int {
	if i := slices.Index(b.groups, group); i >= 0 {
		return i
	}
	return len(b.groups)
}

func (s *Score) figure(wanted []figure) {
	for _, f := range wanted {
		own := Figure{Name: f.name}
		n := 0
		for _, g := range s.Groups {
			if f.group != "" && f.group != g.Group {
				continue
			}
			own.Of += g.Rows
			for _, v := range f.verdicts {
				n += g.Count[v]
			}
		}
		if own.Of > 0 {
			own.Value = 100 * float64(n) / float64(own.Of)
			s.Figures = append(s.Figures, own)
		}
	}
}

// Peers are figures of other programs.
type Peers struct {
	Source  string               `yaml:"source" json:"source"`
	Columns []string             `yaml:"columns" json:"columns"`
	Rows    map[string][]float64 `yaml:"rows" json:"rows"`
}

// ReadPeers reads the figures of other programs for a corpus; the zero value where there are none.
func ReadPeers(dir, corpus string) (Peers, error) {
	text, err := plainfile.Read(filepath.Join(dir, "peers.yaml"))
	if errors.Is(err, os.ErrNotExist) {
		return Peers{}, nil
	}
	if err != nil {
		return Peers{}, err
	}
	all := map[string]Peers{}
	if err := yaml.Unmarshal(text, &all); err != nil {
		return Peers{}, fmt.Errorf("peers.yaml: %w", err)
	}
	return all[corpus], nil
}

// Table writes the figures, with those of others below; name is the program that was measured.
func (s *Score) Table(w io.Writer, name string, peers Peers) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: %s\n\n%d of %d rows right", s.Corpus, name, s.Right, s.Rows)
	if s.Missing > 0 {
		fmt.Fprintf(&b, "; without an answer: %d", s.Missing)
	}
	b.WriteString("\n\n| |")
	for _, f := range s.Figures {
		fmt.Fprintf(&b, " %s |", f.Name)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(s.Figures)) + "\n| " + cell(name) + " |")
	for _, f := range s.Figures {
		fmt.Fprintf(&b, " %.1f %% |", f.Value)
	}
	b.WriteString("\n")
	for _, peer := range peers.names() {
		fmt.Fprintf(&b, "| %s |", cell(peer))
		for _, f := range s.Figures {
			i := slices.Index(peers.Columns, f.Name)
			if i < 0 || i >= len(peers.Rows[peer]) {
				b.WriteString(" |")
				continue
			}
			fmt.Fprintf(&b, " %.1f %% |", peers.Rows[peer][i])
		}
		b.WriteString("\n")
	}
	if peers.Source != "" {
		b.WriteString("\nOthers: " + peers.Source + ".\n")
	}
	b.WriteString("\n| group | rows | verdicts |\n|---|---|---|\n")
	for _, g := range s.Groups {
		var counts []string
		for verdict, n := range g.Count {
			counts = append(counts, fmt.Sprintf("%s %d", verdict, n))
		}
		slices.Sort(counts)
		fmt.Fprintf(&b, "| %s | %d | %s |\n", cell(g.Group), g.Rows, strings.Join(counts, ", "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// names are the programs, the best first column first.
func (p Peers) names() []string {
	var all []string
	for name := range p.Rows {
		all = append(all, name)
	}
	slices.SortFunc(all, func(a, b string) int {
		return cmp.Or(cmp.Compare(p.Rows[b][0], p.Rows[a][0]), strings.Compare(a, b))
	})
	return all
}
