package guard

import (
	"context"
	"strings"
	"testing"

	"rein/guard/shell"
	"rein/tool"
)

func clean(context.Context, string) (changed, untracked []string, err error) { return nil, nil, nil }

func standard(o StandardOptions) *Set {
	o.Here = home.Here
	if o.Unsaved == nil {
		o.Unsaved = clean
	}
	return Standard(o)
}

func TestAllWithoutGuardsAsks(t *testing.T) {
	if v := (All{}).Judge(t.Context(), bash("ls")); v.Decision != Ask || v.Reason == "" {
		t.Errorf("%+v", v)
	}
}

func TestAnUnknownToolIsNotTakenToBeConfined(t *testing.T) {
	for _, row := range []struct {
		rule      string
		tool      string
		isolation Isolation
		want      Decision
	}{
		{"our own file tool opens nothing outside the workspace", "write_file", NoIsolation, Allow},
		{"an embedder's tool without isolation asks", "save_report", NoIsolation, Ask},
		{"an embedder's tool in a sandbox runs", "save_report", FileIsolation, Allow},
	} {
		t.Run(row.rule, func(t *testing.T) {
			c := call(row.tool, tool.Intent{Writes: []string{"a.txt"}})
			c.Effect, c.Isolation = tool.Writes, row.isolation
			if v := standard(StandardOptions{Confined: fileTools}).Judge(t.Context(), c); v.Decision != row.want {
				t.Errorf("%+v", v)
			}
		})
	}
}

func TestTheSetForwardsToGuardsThatRemember(t *testing.T) {
	t.Run("repetition asks and gives a note", func(t *testing.T) {
		s, c, note := standard(StandardOptions{}), bash("make"), ""
		for range askAfter {
			note = s.Ran(c, tool.Result{Text: "same"})
		}
		if v := s.Judge(t.Context(), c); v.Decision != Ask || !contains(v.Rules, "repetition.same") || note == "" {
			t.Errorf("%+v, note %q", v, note)
		}
	})
	t.Run("taint", func(t *testing.T) {
		s := standard(StandardOptions{KnownHost: func(string) bool { return true }})
		page := call("web_fetch", tool.Intent{Hosts: []string{"a.test"}})
		s.Ran(page, tool.Result{})
		s.Ran(call("read_file", tool.Intent{Reads: []string{".env"}}), tool.Result{})
		if v := s.Judge(t.Context(), page); v.Decision != Ask || !contains(v.Rules, "taint.private") {
			t.Errorf("%+v", v)
		}
	})
	t.Run("a guard of the embedder", func(t *testing.T) {
		own := &Repetition{}
		s := standard(StandardOptions{More: []Guard{own}})
		s.Ran(bash("make"), tool.Result{Text: "x"})
		if own.Times(bash("make")) != 1 {
			t.Error("it does not observe")
		}
	})
}

func TestTheCommandIsParsedOnce(t *testing.T) {
	s, c := standard(StandardOptions{}), bash("go test ./... && rm -rf build")
	seen := map[*shell.Report]bool{}
	spy := Func(func(_ context.Context, c Case) Verdict { seen[c.Report] = true; return Verdict{} })
	s.all.Guards = append(s.all.Guards, spy)
	s.Judge(t.Context(), c)
	seen[s.Programs.Read(c)] = true // as a normalizer, an approver or an observer would
	seen[s.Programs.Prepare(c).Report] = true
	if len(seen) != 1 || seen[nil] {
		t.Errorf("%d reports", len(seen))
	}
	c.Intent.Cwd = "sub"
	if seen[s.Programs.Read(c)] {
		t.Error("another directory has the same report")
	}
	for range keptReports {
		s.Programs.Read(bash("echo " + strings.Repeat("x", len(s.Programs.recent.all)+1)))
	}
	if n := len(s.Programs.recent.all); n != keptReports {
		t.Errorf("%d reports are kept", n)
	}
	long := strings.Repeat("a;", 40_000)
	for range 3 {
		s.Programs.Read(bash(long))
		long += "b"
	}
	if n := len(s.Programs.recent.all); n != 1 {
		t.Errorf("%d reports of long commands are kept", n)
	}
}

func BenchmarkStandard(b *testing.B) {
	for name, cmd := range map[string]string{
		"usual": "go test ./... 2>&1 | tail -20", "100 kB": strings.Repeat("a;", 50_000), "file tool": "",
	} {
		b.Run(name, func(b *testing.B) {
			s, c := standard(StandardOptions{Confined: fileTools}), bash(cmd)
			if cmd == "" {
				c = call("read_file", tool.Intent{Reads: []string{"a.go"}})
			}
			for b.Loop() {
				s.Programs.recent.all = nil
				s.Judge(b.Context(), c)
			}
		})
	}
}
