package edit

import (
	"errors"
	"strings"
	"testing"
)

// rules are one row for each rule of the engine, and one for each fault that was seen elsewhere. Where want is empty, the
// reason of the refusal is in why.
var rules = []struct {
	rule, file, old, new, want string
	why                        Reason
}{
	{rule: "a text that is there once is replaced", file: "a\nb\n", old: "b", new: "c", want: "a\nc\n"},
	{rule: "a part of a line is replaced", file: "x := f(1)\n", old: "f(1)", new: "g(2)", want: "x := g(2)\n"},
	{rule: "an empty new text takes the whole line away", file: "a\nb\nc\n", old: "b", new: "", want: "a\nc\n"},
	{rule: "an empty new text takes a part of a line away", file: "f(a, b)\n", old: ", b", new: "", want: "f(a)\n"},
	{rule: "dollars and backslashes are text", file: "a\n", old: "a", new: `$1 $& \1 $$`, want: "$1 $& \\1 $$\n"},

	{rule: "line ends are the file's", file: "a\r\nb\r\nc\r\n", old: "a\nb", new: "a\nx\nb", want: "a\r\nx\r\nb\r\nc\r\n"},
	{rule: "one CR LF line does not make all CR LF", file: "#!/bin/sh\na\r\nb\n", old: "a\nb", new: "a\nc", want: "#!/bin/sh\na\r\nc\n"},
	{rule: "an added line ends as its neighbour", file: "a\nb\r\nc\r\nd\n", old: "b\nc", new: "b\nx\nc", want: "a\nb\r\nx\r\nc\r\nd\n"},
	{rule: "lone CR ends lines", file: "a\rb\rc", old: "b\nc", new: "b\nx\nc", want: "a\rb\rx\rc"},
	{rule: "the byte order mark stays", file: "\ufeffa\nb\n", old: "a", new: "c", want: "\ufeffc\nb\n"},
	{rule: "a missing final line end stays missing", file: "a\nb", old: "b\n", new: "c\n", want: "a\nc"},
	{rule: "a line end is never swallowed", file: "a\nb\nc\n", old: "b\n", new: "x", want: "a\nx\nc\n"},

	{rule: "lost indentation is the file's", file: "if x:\n    a()\n    b()\n", old: "a()\nb()", new: "a()\nif y:\n    c()\nb()", want: "if x:\n    a()\n    if y:\n        c()\n    b()\n"},
	{rule: "another unit is the file's", file: "\tif x {\n\t\ta()\n\t}\n", old: "    if x {\n        a()\n    }", new: "    if x {\n        a()\n        if y {\n            b()\n        }\n    }", want: "\tif x {\n\t\ta()\n\t\tif y {\n\t\t\tb()\n\t\t}\n\t}\n"},
	{rule: "new_text in the file's frame stays so", file: "  if x:\n    a\n", old: "if x:\na", new: "  if x:\n    b", want: "  if x:\n    b\n"},
	{rule: "the first line without its indentation, in old only", file: "f:\n    a\n    b\n", old: "a\n    b", new: "    a\n    c\n    b", want: "f:\n    a\n    c\n    b\n"},
	{rule: "the first line without its indentation, in both", file: "f:\n    a\n    b\n", old: "a\n    b", new: "x\n    b", want: "f:\n    x\n    b\n"},
	{rule: "a text indented in two ways at once is refused where lines come in", file: "a\n  b\n    c\n  d\n", old: " b\n c\n d", new: " b\n c\n new\n d", why: Unclear},
	{rule: "a changed depth is the model's wish", file: "a()\nb()\n", old: "a()\nb()", new: "if x {\n\ta()\n}\nb()", want: "if x {\n\ta()\n}\nb()\n"},

	{rule: "blanks at line ends that the file has stay", file: "a  \nb\t\nc\n", old: "a\nb", new: "a\nx\nb", want: "a  \nx\nb\t\nc\n"},
	{rule: "aligned blanks stay", file: "int    a;\nchar   b;\n", old: "int a;\nchar b;", new: "int a;\nlong c;\nchar b;", want: "int    a;\nlong c;\nchar   b;\n"},
	{rule: "a changed line keeps its aligned blanks", file: "key   = 1 // one\n", old: "key = 1 // one", new: "key = 2 // one", want: "key   = 2 // one\n"},
	{rule: "lost blank lines stay", file: "a\n\nb\n\nc\n", old: "a\nb\nc", new: "a\nb2\nc", want: "a\n\nb2\n\nc\n"},
	{rule: "blank lines around old do not count", file: "a\nb\nc\n", old: "\n\nb\n\n", new: "x", want: "a\nx\nc\n"},

	{rule: "typographic quotes of the model", file: "say(\"x\")\nend\n", old: "say(“x”)\nend", new: "say(“y”)\nmore(“z”)\nend", want: "say(\"y\")\nmore(\"z\")\nend\n"},
	{rule: "typographic quotes of the file", file: "// it’s here\na\nb\n", old: "// it's here\na\nb", new: "// it's here\na\nc", want: "// it’s here\na\nc\n"},
	{rule: "no-break blanks of the model", file: "a b\nc d\n", old: "a\u00a0b\nc\u00a0d", new: "a\u00a0b\nc\u00a0e", want: "a b\nc e\n"},
	{rule: "decomposed accents of the model", file: "café\nx\n", old: "cafe\u0301\nx", new: "cafe\u0301\ny", want: "café\ny\n"},

	{rule: "escaped as JSON", file: "a(\"x\")\n\tb\n", old: `a(\"x\")\n\tb`, new: `a(\"x\")\n\tc`, want: "a(\"x\")\n\tc\n"},
	{rule: "only old is escaped", file: "a(\"x\")\n\tb\n", old: `a(\"x\")\n\tb`, new: "a(\"x\")\n\tc", want: "a(\"x\")\n\tc\n"},
	{rule: "escaped quotes leave other escapes alone", file: "p(\"a\\n\")\nq\n", old: `p(\"a\n\")` + "\nq", new: `p(\"b\n\")` + "\nq", want: "p(\"b\\n\")\nq\n"},
	{rule: "escaped as HTML", file: "if a < b && c {\n", old: "if a &lt; b &amp;&amp; c {", new: "if a &lt;= b &amp;&amp; c {", want: "if a <= b && c {\n"},
	{rule: "escapes that the file has stay", file: "x = \"a\\nb\"\n", old: `x = "a\nb"`, new: `x = "a\nc"`, want: "x = \"a\\nc\"\n"},

	{rule: "a line break that was an escape in a string", file: "p(\"a\\n\", x)\nq()\n", old: "p(\"a\n\", x)\nq()", new: "p(\"b\n\", x)\nq()", want: "p(\"b\\n\", x)\nq()\n"},
	{rule: "backslashes that were lost", file: "re(`\\\\d+`)\nq()\n", old: "re(`\\d+`)\nq()", new: "re(`\\w+`)\nq()", want: "re(`\\\\w+`)\nq()\n"},

	{rule: "line numbers of a listing", file: "a\nb\nc\n", old: "2\tb\n3\tc", new: "2\tb\n3\tx\n4\tc", want: "a\nb\nx\nc\n"},
	{rule: "line numbers in old only", file: "a\n  b\nc\n", old: "    2→  b\n    3→c", new: "  b\nx\nc", want: "a\n  b\nx\nc\n"},
	{rule: "a fence around", file: "a\nb\nc\n", old: "```go\na\nb\n```", new: "```go\na\nx\n```", want: "a\nx\nc\n"},
	{rule: "diff marks", file: "a\nb\nc\n", old: " a\n-b\n c", new: " a\n+x\n c", want: "a\nx\nc\n"},
	{rule: "a diff in new only is refused", file: "a\nb\nc\n", old: "a\nb\nc", new: " a\n+x\n b\n c", why: Unclear},

	{rule: "lines left out in both", file: "f {\n  a\n  b\n  c\n  d\n}\n", old: "f {\n  a\n  // ...\n  d\n}", new: "f {\n  a\n  // ...\n  e\n}", want: "f {\n  a\n  b\n  c\n  e\n}\n"},
	{rule: "lines left out in old and gone in new are refused", file: "f {\n  a\n  b\n  c\n  d\n}\n", old: "f {\n  a\n  // ...\n  d\n}", new: "f {\n  a\n  e\n}", why: Placeholder},
	{rule: "lines left out in new only are refused", file: "a\nb\nc\n", old: "a\nb\nc", new: "a\n// ... rest unchanged\n", why: Placeholder},
	{rule: "a Python body of dots is no placeholder", file: "class A:\n    x = 1\n", old: "    x = 1", new: "    x = 1\n\n    def f(self):\n        ...", want: "class A:\n    x = 1\n\n    def f(self):\n        ...\n"},

	{rule: "twice the same is refused", file: "a\nb\na\n", old: "a", new: "c", why: Ambiguous},
	{rule: "overlapping twice is refused", file: "aaa\n", old: "aa", new: "b", why: Ambiguous},
	{rule: "twins that differ in indentation are refused", file: "a\n  b\n  c\nd\n    b\n    c\n", old: "b\nc", new: "b\nx", why: Ambiguous},
	{rule: "twins that differ in blanks at line ends are refused", file: "a b \nc\na b\t\nc\n", old: "a b\nc", new: "a b\nx", why: Ambiguous},
	{rule: "the literal one of two twins is taken", file: "\tf(a,  b)\n\tf(a, b)\n", old: "f(a, b)", new: "g()", want: "\tf(a,  b)\n\tg()\n"},
	{rule: "a place inside a word is refused", file: "max = 10\n", old: "x = 1", new: "y = 2", why: Truncated},
	{rule: "a cut head is refused", file: "  prefixed line\n  next\n", old: "fixed line\n  next", new: "  prefixed line\n  x", why: Truncated},
	{rule: "code that is only in a comment is refused", file: "// call(1)\nother\n", old: "call(1)", new: "call(2)", why: InComment},
	{rule: "other letter case is refused", file: "Alpha beta\ngamma\n", old: "alpha beta\ngamma", new: "x", why: NotFound},
	{rule: "another number is refused", file: "retry(3)\nend\n", old: "retry(4)\nend", new: "x", why: NotFound},
	{rule: "other blanks in a string are refused", file: "log(\"a  b\")\n", old: "log(\"a b\")", new: "log(\"c\")", why: NotFound},
	{rule: "the two ends alone are no match", file: "start\none\ntwo\nend\n", old: "start\nthree\nend", new: "x", why: NotFound},
	{rule: "blanks alone are refused", file: "a\n\nb\n", old: "  \n", new: "x", why: EmptyOld},
	{rule: "an empty old text is refused, in an empty file, too", file: "", old: "", new: "x", why: EmptyOld},
	{rule: "no change is refused", file: "a\n", old: "a", new: "a", why: NoChange},
	{rule: "a change that is made already is reported", file: "a\nnew name\nb\n", old: "a\nold name\nb", new: "a\nnew name\nb", why: Applied},
	{rule: "lines that are behind the place already are not added", file: "x()\ny(1)\nz(2)\n", old: "x()", new: "x()\ny(1)\nz(2)", why: Applied},
	{rule: "an end that would be doubled is refused", file: "  f(a,\n    b);\nnext\n", old: "  f(a,\n    b)", new: "  f(a,\n    c);", why: Truncated},
}

func TestRules(t *testing.T) {
	for _, row := range rules {
		t.Run(row.rule, func(t *testing.T) {
			r, err := Apply(row.file, []Edit{{Old: row.old, New: row.new}}, nil)
			refusal, refused := errors.AsType[*Refusal](err)
			switch {
			case refused != (row.why != ""):
				t.Fatalf("got %q, %v", r.Text, err)
			case refused && refusal.Reason != row.why:
				t.Fatalf("refused as %s: %v", refusal.Reason, err)
			case refused && (r.Text != row.file || refusal.Text == "" || refusal.Hint == ""):
				t.Fatalf("a refusal without words, or with a change: %q, %+v", r.Text, refusal)
			case !refused && r.Text != row.want:
				t.Fatalf("got %q, want %q (%v)", r.Text, row.want, r.Classes)
			}
		})
	}
}

func TestSeveralEdits(t *testing.T) {
	for _, row := range []struct {
		rule, file string
		edits      []Edit
		want       string // empty: refused, with fault in the error
		fault      string
	}{
		{"each is found in the text as given", "a\nb\nc\n", []Edit{{Old: "a", New: "b2"}, {Old: "b", New: "c2"}}, "b2\nc2\nc\n", ""},
		{"any order", "a\nb\nc\n", []Edit{{Old: "c", New: "C"}, {Old: "a", New: "A"}}, "A\nb\nC\n", ""},
		{"one that needs the one before it is made in order", "a\nb\n", []Edit{{Old: "a", New: "first"}, {Old: "first", New: "x"}}, "x\nb\n", ""},
		{"overlapping ones are refused", "a\nb\nc\n", []Edit{{Old: "a\nb", New: "x"}, {Old: "b\nc", New: "y"}}, "", "same lines as edit 1"},
		{"all faults are listed", "a\n", []Edit{{Old: "q", New: "x"}, {Old: "a", New: "b"}, {Old: "r", New: "y"}}, "", "Edits that do not match: 2 of 3. Nothing was changed.\nEdit 1: "},
		{"all places", "x y x\nx\n", []Edit{{Old: "x", New: "zz", All: true}}, "zz y zz\nzz\n", ""},
		{"all places, of lines with the same slip", "if a {\n\tb()\n}\nif a {\n\tb()\n}\n", []Edit{{Old: "if a {\n    b()\n}", New: "if a {\n    c()\n}", All: true}}, "if a {\n\tc()\n}\nif a {\n\tc()\n}\n", ""},
		{"whole words and parts of words are not taken together", "foo\nfoobar\n", []Edit{{Old: "foo", New: "x", All: true}}, "", "1 times as a whole and 1 times inside"},
		{"parts of words alone are", "get_a\nget_b\n", []Edit{{Old: "get_", New: "set_", All: true}}, "set_a\nset_b\n", ""},
		{"another number than expected is refused", "x\nx\n", []Edit{{Old: "x", New: "y", Expected: 3}}, "", "2 times, not 3 times"},
	} {
		t.Run(row.rule, func(t *testing.T) {
			r, err := Apply(row.file, row.edits, nil)
			if row.want == "" {
				if err == nil || !strings.Contains(err.Error(), row.fault) || r.Text != row.file {
					t.Fatalf("got %q, %v", r.Text, err)
				}
				return
			}
			if err != nil || r.Text != row.want {
				t.Fatalf("got %q, %v; want %q", r.Text, err, row.want)
			}
		})
	}
}

// TestDrift shows which slips in context a fresh file allows, and that none is allowed where it matters.
func TestDrift(t *testing.T) {
	file := "func send(to string) error {\n\tlog.Print(\"sending\", to)\n\tif to == \"\" {\n\t\treturn errNobody\n\t}\n\tcount++\n\treturn nil\n}\n"
	for _, row := range []struct {
		rule, old, new string
		want           string
	}{
		{"one word of a context line", "func send(to string) error {\n\tlog.Printf(\"sending\", to)\n\tif to == \"\" {\n\t\treturn errNobody\n\t}\n\tcount++\n\treturn nil",
			"func send(to string) error {\n\tlog.Printf(\"sending\", to)\n\tif to == \"\" {\n\t\treturn errNobody\n\t}\n\tcount += 2\n\treturn nil", strings.Replace(file, "count++", "count += 2", 1)},
		{"a word of the changed line is refused", "\tif to == \"\" {\n\t\treturn errNobody\n\t}\n\tcounter++\n\treturn nil", "\tif to == \"\" {\n\t\treturn errNobody\n\t}\n\tcounter += 2\n\treturn nil", ""},
		{"a word beside an added line is refused", "\tif to == \"\" {\n\t\treturn errNobody\n\t}\n\tcounter++\n\treturn nil", "\tif to == \"\" {\n\t\treturn errNobody\n\t}\n\tcounter++\n\tx()\n\treturn nil", ""},
		{"too few lines", "\tcounter++\n\treturn nil", "\tcounter++\n\treturn x", ""},
	} {
		e := []Edit{{Old: row.old, New: row.new}}
		if r, err := Apply(file, e, nil); err == nil {
			t.Errorf("%s: without a fresh file: %q", row.rule, r.Text)
		}
		r, err := Apply(file, e, &Options{Fresh: true})
		if row.want == "" && err == nil || row.want != "" && (err != nil || r.Text != row.want) {
			t.Errorf("%s: %q, %v", row.rule, r.Text, err)
		}
	}
}

func TestCopiedLineNumbersDecideInAFreshFile(t *testing.T) {
	file := "x {\n\ta()\n}\nx {\n\ta()\n}\n"
	e := []Edit{{Old: "     4\tx {\n     5\t\ta()\n     6\t}", New: "     4\tx {\n     5\t\tb()\n     6\t}"}}
	if r, err := Apply(file, e, nil); err == nil {
		t.Errorf("without a fresh file: %q", r.Text)
	}
	r, err := Apply(file, e, &Options{Fresh: true})
	if err != nil || r.Text != "x {\n\ta()\n}\nx {\n\tb()\n}\n" {
		t.Errorf("%q, %v", r.Text, err)
	}
}

func TestResultTellsWhatWasDone(t *testing.T) {
	r, err := Apply("a\nb\nc\nd\ne\nf\n", []Edit{{Old: "  c", New: "  x\n  y"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Lines != [2]int{3, 4} || r.Added != 2 || r.Removed != 1 || strings.Join(r.Classes, ",") != "indentation" {
		t.Errorf("%+v", r)
	}
	if want := "@@ -1,6 +1,7 @@\n a\n b\n-c\n+x\n+y\n d\n e\n f\n"; r.Diff != want {
		t.Errorf("diff %q", r.Diff)
	}
}

func TestRefusalShowsTheNearestLines(t *testing.T) {
	_, err := Apply("one\ntwo\nthree\nfour\n", []Edit{{Old: "two\nthere\nfour", New: "x"}}, nil)
	want := "old_text is not in the file.\nClosest: lines 2-4 (- yours, + file):\n      2 two\n-       there\n+     3 three\n      4 four\nRead these lines again and send old_text exactly as they are."
	if err == nil || err.Error() != want {
		t.Errorf("got %q", err)
	}
}
