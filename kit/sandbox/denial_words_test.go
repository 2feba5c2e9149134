package sandbox

import (
	"os"
	"path/filepath"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
)

// TestEachMessageIsAComplaint holds the words that outputs are looked through for to the messages that lines are.
func TestEachMessageIsAComplaint(t *testing.T) {
	for _, expression := range []string{refusals, absences, strandings, tracings, keys, "Cannot connect to the Docker daemon|must be superuser|must be root"} {
		parsed, err := syntax.Parse(expression, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		all := texts(parsed)
		if len(all) < 3 {
			t.Errorf("%q means %q", expression, all)
		}
		for _, text := range all {
			if !mayComplain("x\n" + text + " y\n") {
				t.Errorf("%q is passed over", text)
			}
		}
	}
	if mayComplain("2026-01-01 INFO request done, status=200\n") {
		t.Error("an ordinary line is looked at")
	}
}

// texts are texts that an expression matches, one of each alternative.
func texts(e *syntax.Regexp) []string {
	switch e.Op {
	case syntax.OpLiteral:
		return []string{string(e.Rune)}
	case syntax.OpCharClass:
		return []string{string(e.Rune[0])}
	case syntax.OpAlternate:
		var all []string
		for _, sub := range e.Sub {
			all = append(all, texts(sub)...)
		}
		return all
	case syntax.OpQuest:
		return append(texts(e.Sub[0]), "")
	case syntax.OpConcat, syntax.OpCapture, syntax.OpPlus, syntax.OpStar:
		all := []string{""}
		for _, sub := range e.Sub {
			var longer []string
			for _, begin := range all {
				for _, end := range texts(sub) {
					longer = append(longer, begin+end)
				}
			}
			all = longer
		}
		return all
	}
	return []string{""} // a boundary
}

// TestADaemonThatRuns is named by its socket, which programs may not connect to. One that does not run is missed outside, too.
func TestADaemonThatRuns(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "d.sock")
	said := denialCase{Output: "Cannot connect to the Docker daemon at unix://" + socket + ". Is the docker daemon running?\n", Code: 1}
	if found := explainDenials(said); found != nil {
		t.Error(found)
	}
	if err := os.WriteFile(socket, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if found := explainDenials(said); !slices.Equal(found, []Denial{{DeniedSocket, socket, false}}) {
		t.Error(found)
	}
	if found := explainDenials(denialCase{Output: "only root can do that (must be superuser to use mount)\n", Code: 1}); len(found) != 1 || !strings.HasSuffix(Note([]Denial{{DeniedKernel, found[0].Target, false}}, "/w", ""), "Programs have no privileges for this. Find a way without privileges, or tell the user what to run.]\n") {
		t.Error(found)
	}
}

// TestWhatWasReadOnlyIsNamed: of a message, the place is named that is there or would have been made, and not its words.
func TestWhatWasReadOnlyIsNamed(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "kept"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	v := &view{Shown: []viewBind{{Source: dir, Target: dir, Write: true, Dir: true}}, Locked: []viewBind{{Source: dir, Target: dir, Dir: true}}}
	for said, want := range map[string][]string{
		"rm: cannot remove 'n e w.txt': Read-only file system": nil, "bash: line 1: made: Read-only file system": {"made"}, "rm: cannot remove 'kept': Read-only file system": {"kept"},
		"touch: cannot touch 'kept': Read-only file system": {"kept"},
	} {
		var got []string
		for _, d := range explainDenials(denialCase{Dir: dir, Output: said + "\n", Code: 1, View: func() *view { return v }}) {
			got = append(got, strings.TrimPrefix(d.Target, dir+"/"))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", said, got, want)
		}
	}
}
