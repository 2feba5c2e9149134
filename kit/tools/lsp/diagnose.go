package lsp

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"
)

// Change is a change of one file.
type Change struct {
	Path          string // as a call names it
	Before, After string
	Created       bool
	Deleted       bool
}

const (
	diagnoseTime = 2 * time.Second
	quietTime    = 200 * time.Millisecond // without a message of a server that names no version
	silentTime   = 800 * time.Millisecond // a server that names no version may say nothing where nothing changes
	firstTime    = time.Second            // for the state before the first change of a file
	mostShown    = 10
	shownBytes   = 2 << 10
)

// Diagnose tells the servers what was changed and returns the diagnostics that are new since then, as text for the model; ""
// where there are none, or where they did not come in time. It takes at most Wait.
func (s *Servers) Diagnose(ctx context.Context, changes []Change) string {
	most := s.Wait
	if most == 0 {
		most = diagnoseTime
	}
	s.mu.Lock()
	waiting := s.renames > 0
	s.mu.Unlock()
	if most < 0 || waiting {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	byServer := map[*server][]Change{}
	var order []*server
	var b strings.Builder
	for _, c := range changes {
		if k := kindOf(c.Path); k == nil || k.command() == nil || s.Usable != nil && !s.Usable() {
			continue
		}
		srv, err := s.server(ctx, s.abs(c.Path))
		if err != nil {
			if ctx.Err() == nil && s.warnOnce(kindOf(c.Path).name) {
				fmt.Fprintf(&b, "[%v]\n", err)
			}
			continue
		}
		if byServer[srv] == nil {
			order = append(order, srv)
		}
		byServer[srv] = append(byServer[srv], c)
	}
	for _, srv := range order {
		b.WriteString(s.diagnose(ctx, srv, byServer[srv]))
	}
	return b.String()
}

// Changed is Diagnose for texts before and after, by the paths of the files: see files.Tools.Diagnose.
func (s *Servers) Changed(ctx context.Context, before, after map[string]string) string {
	var changes []Change
	for _, path := range slices.Sorted(maps.Keys(after)) {
		old, was := before[path]
		changes = append(changes, Change{Path: path, Before: old, After: after[path], Created: !was})
	}
	for _, path := range slices.Sorted(maps.Keys(before)) {
		if _, is := after[path]; !is {
			changes = append(changes, Change{Path: path, Before: before[path], Deleted: true})
		}
	}
	return s.Diagnose(ctx, changes)
}

// diagnose asks one server.
func (s *Servers) diagnose(ctx context.Context, srv *server, changes []Change) string {
	if srv.slow() {
		return "" // it still starts: edits do not wait for it again and again
	}
	err := srv.await(ctx)
	if err == nil {
		err = srv.loaded(ctx)
	}
	if err != nil {
		return s.missed(ctx, srv, err)
	}
	before := s.before(ctx, srv, changes)
	if err := srv.tell(changes, s.abs); err != nil {
		return s.missed(ctx, srv, err)
	}
	after, err := srv.after(ctx, changes, s.abs)
	if err != nil {
		return s.missed(ctx, srv, err)
	}
	srv.answered()
	return s.compare(before, after, changes)
}

// missed is what is reported when no diagnostics came. A server that loads its project is no fault.
func (s *Servers) missed(ctx context.Context, srv *server, err error) string {
	if ctx.Err() == nil && !isServerError(err) {
		srv.ending() // what failed before its time may be a server that has just ended
	}
	srv.mu.Lock()
	loading := srv.loading > 0
	srv.mu.Unlock()
	select {
	case <-srv.ready:
	default:
		loading = true
	}
	if loading && srv.alive() {
		srv.mu.Lock()
		srv.waits++
		srv.mu.Unlock()
		return ""
	}
	if srv.alive() && !isServerError(err) {
		s.silent(srv)
	}
	if !s.warnOnce(srv.kind.name) {
		return ""
	}
	if srv.alive() {
		return fmt.Sprintf("[%s did not answer in time: no diagnostics]\n", srv.kind.name)
	}
	return fmt.Sprintf("[%s ended: no diagnostics. %s]\n", srv.kind.name, lastLine(srv.process.Errors()))
}

// key identifies a diagnostic without its place, which moves with every edit.
func key(path string, d Diagnostic, text string) string {
	return fmt.Sprint(path, "\x00", d.Severity, "\x00", d.Message, "\x00", strings.TrimSpace(line(text, d.Range.Start.Line)))
}

// line returns a line of a text, from 0.
func line(text string, n int) string {
	for range n {
		_, rest, ok := strings.Cut(text, "\n")
		if !ok {
			return ""
		}
		text = rest
	}
	first, _, _ := strings.Cut(text, "\n")
	return strings.TrimSuffix(first, "\r")
}

// before returns the diagnostics before the change, by key, with how often each is there. A file that the server does not have
// open is opened as it was.
func (s *Servers) before(ctx context.Context, srv *server, changes []Change) map[string]int {
	first, cancel := context.WithTimeout(ctx, firstTime)
	defer cancel()
	var open []Change
	for _, c := range changes {
		srv.mu.Lock()
		known := srv.docs[s.abs(c.Path)] != nil
		srv.mu.Unlock()
		if !known && !c.Created {
			open = append(open, c)
		}
	}
	if len(open) > 0 {
		for _, c := range open {
			if err := srv.show(s.abs(c.Path), c.Before); err != nil {
				return nil
			}
		}
		_, _ = srv.after(first, open, s.abs)
	}
	all := map[string]int{}
	srv.mu.Lock()
	defer srv.mu.Unlock()
	texts := map[string]string{}
	for _, c := range changes {
		texts[s.abs(c.Path)] = c.Before
	}
	for path, d := range srv.said {
		for _, x := range d.list {
			all[key(path, x, s.text(texts, path))]++
		}
	}
	return all
}

// text returns the text of a file: of those that are known, or as it is on disk.
func (s *Servers) text(known map[string]string, path string) string {
	if t, ok := known[path]; ok {
		return t
	}
	data, _ := s.Read(s.shown(path)) // without it the lines of diagnostics are not compared
	known[path] = string(data)
	return known[path]
}

// tell tells the server what was changed.
func (srv *server) tell(changes []Change, abs func(string) string) error {
	for _, c := range changes {
		path, how := abs(c.Path), 2
		switch {
		case c.Deleted:
			srv.saved(path, 3)
			continue
		case c.Created:
			how = 1
		}
		if err := srv.show(path, c.After); err != nil {
			return err
		}
		srv.saved(path, how)
	}
	return nil
}

// after returns the diagnostics of all files when the server has said what it thinks of the changed ones.
func (srv *server) after(ctx context.Context, changes []Change, abs func(string) string) (map[string][]Diagnostic, error) {
	if srv.pulls {
		for _, c := range changes {
			if !c.Deleted {
				if err := srv.pull(ctx, abs(c.Path)); err != nil {
					return nil, err
				}
			}
		}
	} else if err := srv.pushed(ctx, changes, abs); err != nil {
		return nil, err
	}
	srv.mu.Lock()
	defer srv.mu.Unlock()
	all := map[string][]Diagnostic{}
	for path, d := range srv.said {
		all[path] = d.list
	}
	return all, nil
}

// pull asks for the diagnostics of a file.
func (srv *server) pull(ctx context.Context, path string) error {
	type report struct {
		Kind  string       `json:"kind"`
		Items []Diagnostic `json:"items"`
	}
	var answer struct {
		report
		Related map[string]report `json:"relatedDocuments"`
	}
	if err := srv.conn.Call(ctx, "textDocument/diagnostic", map[string]any{"textDocument": map[string]any{"uri": uriOf(path)}}, &answer); err != nil {
		return err
	}
	srv.mu.Lock()
	defer srv.mu.Unlock()
	if answer.Kind != "unchanged" {
		srv.said[path] = said{list: answer.Items}
	}
	for uri, r := range answer.Related {
		if r.Kind != "unchanged" {
			srv.said[pathOf(uri)] = said{list: r.Items}
		}
	}
	return nil
}

// pushed waits until the server has published diagnostics of the changed files: with the version of the document, or followed by
// a moment of silence. In the same moment it publishes those of files that depend on them.
func (srv *server) pushed(ctx context.Context, changes []Change, abs func(string) string) error {
	srv.mu.Lock()
	counts := map[string]int{}
	for _, c := range changes {
		if !c.Deleted {
			counts[abs(c.Path)] = srv.said[abs(c.Path)].count
		}
	}
	srv.mu.Unlock()
	heard := len(counts) == 0
	for {
		srv.mu.Lock()
		missing := 0
		for path, count := range counts {
			now, doc := srv.said[path], srv.docs[path]
			if now.count == count && (now.version == 0 || doc == nil || now.version < doc.version) || now.version != 0 && doc != nil && now.version < doc.version {
				missing++
			}
		}
		changed, versions := srv.changed, srv.versions
		srv.mu.Unlock()
		heard = heard || missing == 0
		var quiet <-chan time.Time
		switch {
		case heard:
			quiet = time.After(quietTime)
		case !versions:
			quiet = time.After(silentTime)
		}
		select {
		case <-changed:
		case <-quiet:
			if !heard {
				return srv.answers(ctx, changes, abs)
			}
			return nil
		case <-srv.conn.Done():
			return errEnded
		case <-ctx.Done():
			if heard {
				return nil
			}
			return context.Cause(ctx)
		}
	}
}

// answers asks the server something about a changed file: it has seen the change when it answers.
func (srv *server) answers(ctx context.Context, changes []Change, abs func(string) string) error {
	err := srv.conn.Call(ctx, "textDocument/documentSymbol", map[string]any{"textDocument": map[string]any{"uri": uriOf(abs(changes[0].Path))}}, nil)
	if isServerError(err) {
		return nil
	}
	return err
}

// severities are the names of the severities that are reported.
var severities = map[int]string{1: "error", 2: "warning"}

// compare writes the diagnostics that were not there before: errors first, those of the changed files first.
func (s *Servers) compare(before map[string]int, after map[string][]Diagnostic, changes []Change) string {
	texts, touched := map[string]string{}, map[string]bool{}
	for _, c := range changes {
		texts[s.abs(c.Path)], touched[s.abs(c.Path)] = c.After, true
	}
	type found struct {
		path string
		Diagnostic
	}
	var fresh []found
	older := 0
	for _, path := range slices.Sorted(maps.Keys(after)) {
		for _, d := range after[path] {
			if severities[d.Severity] == "" {
				continue
			}
			k := key(path, d, s.text(texts, path))
			if before[k] > 0 {
				before[k]--
				if touched[path] && d.Severity == 1 {
					older++
				}
				continue
			}
			fresh = append(fresh, found{path, d})
		}
	}
	if len(fresh) == 0 {
		return ""
	}
	rank := func(f found) int {
		r := 2 * f.Severity
		if !touched[f.path] {
			r++
		}
		return r
	}
	sort.SliceStable(fresh, func(i, j int) bool { return rank(fresh[i]) < rank(fresh[j]) })
	var b strings.Builder
	b.WriteString("[new since this edit:\n")
	for i, f := range fresh {
		text := fmt.Sprintf("%s:%d:%d: %s: %s\n", s.shown(f.path), f.Range.Start.Line+1, f.Range.Start.Character+1, severities[f.Severity], oneLine(f.Message))
		if i == mostShown || b.Len()+len(text) > shownBytes {
			fmt.Fprintf(&b, "… %d more\n", len(fresh)-i)
			break
		}
		b.WriteString(text)
	}
	text := strings.TrimSuffix(b.String(), "\n")
	if older > 0 {
		text += fmt.Sprintf("\nolder errors that remain: %d", older)
	}
	return text + "]\n"
}

// mostLine is how many bytes of a message or a line are shown.
const mostLine = 300

func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > mostLine {
		text = strings.ToValidUTF8(text[:mostLine], "") + "…"
	}
	return text
}
