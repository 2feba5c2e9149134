package guards

import (
	"strings"
	"testing"

	"rein/guard"
	"rein/tool"
)

// refusing is a guard that has seen a person refuse these calls.
func refusing(words string, all ...guard.Case) *Refusals {
	r := &Refusals{Programs: home}
	for _, c := range all {
		r.Refused(c, guard.Answer{By: guard.ByPerson(""), Words: words})
	}
	return r
}

func TestARefusalIsRememberedByItsEffect(t *testing.T) {
	writes := func(name, path string) guard.Case { return call(name, tool.Intent{Writes: []string{path}}) }
	rows := []struct {
		rule    string
		refused guard.Case
		same    []guard.Case
		other   []guard.Case
	}{
		{"what is removed, however it is spelled", bash("rm -rf build"),
			[]guard.Case{bash("rm -r -f ./build"), bash("find build -delete"), bash("cd build && rm -rf ."), bash("rm -rf build/*"), bash("sh -c 'rm -rf build'"), bash("x=build; rm -rf $x"), bash("rm build/a.o"), bash("ls && rm -rf /home/dev/project/build")},
			[]guard.Case{bash("rm -rf builds"), bash("ls build"), bash("go build -o build/x ."), bash("rm -rf dist"), bash("npm install x")}},
		{"which host is reached", bash("curl https://example.com/a"),
			[]guard.Case{bash("wget example.com"), bash("curl -s EXAMPLE.com | cat"), call("web_fetch", tool.Intent{Hosts: []string{"example.com"}})},
			[]guard.Case{bash("curl https://example.org"), bash("echo example.com"), bash("rm -rf x")}},
		{"what is written outside", bash("echo x > ~/notes"),
			[]guard.Case{bash("tee /home/dev/notes < a"), bash("cp a ~/notes"), writes("write_file", "/home/dev/notes")},
			[]guard.Case{bash("echo x > notes"), writes("write_file", "/home/dev/note")}},
		{"what is read outside", bash("cat ~/other/x"),
			[]guard.Case{bash("head -1 /home/dev/other/x"), call("read_file", tool.Intent{Reads: []string{"../other/x"}})},
			[]guard.Case{bash("cat ~/other/y"), bash("cat main.go")}},
		{"a file that a tool may not write is not written by the shell", writes("edit_file", "src/a.go"),
			[]guard.Case{bash("sed -i s/a/b/ src/a.go"), bash("echo x > src/a.go"), writes("write_file", "./src/../src/a.go")},
			[]guard.Case{bash("sed -i s/a/b/ src/b.go"), bash("cat src/a.go")}},
		{"a program's kind of effect where it has no place", bash("npm install left-pad"),
			[]guard.Case{bash("npm i left-pad"), bash("timeout 9 npm add left-pad"), bash("true; npm install x")},
			[]guard.Case{bash("npm test"), bash("pip install x"), bash("npm run build")}},
		{"a tool that does not tell", guard.Case{Session: "s", Call: tool.Call{Name: "mcp__x__drop", Args: []byte(`{"id":1}`)}, Effect: tool.Runs, Intent: tool.Intent{Unknown: true}, Mode: guard.Supervised, Root: "/home/dev/project"},
			[]guard.Case{{Session: "s", Call: tool.Call{Name: "mcp__x__drop", Args: []byte(` {"id" : 1}`)}, Effect: tool.Runs, Intent: tool.Intent{Unknown: true}, Mode: guard.Supervised, Root: "/home/dev/project"}},
			[]guard.Case{{Session: "s", Call: tool.Call{Name: "mcp__x__drop", Args: []byte(`{"id":2}`)}, Effect: tool.Runs, Intent: tool.Intent{Unknown: true}, Mode: guard.Supervised, Root: "/home/dev/project"}}},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			r := refusing("", row.refused)
			for _, c := range row.same {
				if v := r.Judge(t.Context(), c); v.Decision != guard.Ask || v.Severity < guard.High || !strings.Contains(v.Reason, "the user refused this before: ") {
					t.Errorf("%s: %+v", brief(c), v)
				}
			}
			for _, c := range row.other {
				if v := r.Judge(t.Context(), c); v.Decision != guard.Allow {
					t.Errorf("%s: %+v", brief(c), v)
				}
			}
		})
	}
}

// What was refused with other effects, or in a long script, is named: the line of the call may not show it.
func TestARefusalNamesWhatWasRefused(t *testing.T) {
	for refused, want := range map[string]string{
		"rm -rf build":                       "the user refused this before: rm -rf build",
		"npm install left-pad; rm -rf build": "the user refused this before: removes /home/dev/project/build, as a part of npm install left-pad; rm -rf build",
		"echo " + strings.Repeat("a long line ", 9) + " && rm -rf ./build": "the user refused this before: removes /home/dev/project/build, as a part of echo a long",
	} {
		if v := refusing("", bash(refused)).Judge(t.Context(), bash("rm -r build")); !strings.HasPrefix(v.Reason, want) {
			t.Errorf("%s: %q", refused, v.Reason)
		}
	}
	script := bash("python3 - <<'X'\nimport os\nos.system('git push origin main')\nprint('a line that is long enough to be cut in the request')\nX")
	if v := refusing("", script).Judge(t.Context(), bash("git push origin sub")); !strings.HasPrefix(v.Reason, "the user refused this before: publish git, as a part of python3") {
		t.Error(v.Reason)
	}
}

func TestRefusedThreeTimesIsDeniedUntilTheNextMessage(t *testing.T) {
	c := bash("rm -rf build")
	r := refusing("", c, bash("find build -delete"), bash("rm -rf ./build"))
	v := r.Judge(t.Context(), bash("rm -r build/"))
	if v.Decision != guard.Deny || !strings.Contains(v.Reason, "refused this 3 times, most recently as rm -rf ./build") || v.Hint == "" {
		t.Errorf("got %+v", v)
	}
	r.Prompted("s")
	if v := r.Judge(t.Context(), c); v.Decision != guard.Ask {
		t.Errorf("after a message of the user: %+v", v)
	}
	r.Refused(c, guard.Answer{By: guard.ByPerson("")})
	if v := r.Judge(t.Context(), c); v.Decision != guard.Ask {
		t.Errorf("the first after it: %+v", v)
	}
	r.Granted(bash("rm -rf build"), guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")})
	if v := r.Judge(t.Context(), c); v.Decision != guard.Allow {
		t.Errorf("after an approval: %+v", v)
	}
	other := bash("rm -rf build")
	other.Session = "another"
	if v := refusing("", c).Judge(t.Context(), other); v.Decision != guard.Allow {
		t.Errorf("in another session: %+v", v)
	}
}

func TestARefusalWithWordsIsAdviceAndIsNotCounted(t *testing.T) {
	c := call("edit_file", tool.Intent{Writes: []string{"a.go"}})
	r := refusing("use tabs", c, c, c, c)
	if v := r.Judge(t.Context(), c); v.Decision != guard.Ask || !strings.Contains(v.Reason, "(comment: use tabs)") {
		t.Errorf("got %+v", v)
	}
}

func TestOnlySoManyRefusalsAreRemembered(t *testing.T) {
	r := &Refusals{Programs: home}
	for range maxRefusals + 50 {
		r.Refused(bash("rm x"), guard.Answer{By: guard.ByPerson("")})
	}
	if n := len(r.sessions["s"]); n != maxRefusals {
		t.Errorf("%d are remembered", n)
	}
}

func TestARequestNamesTheUntrustedTextThatWasRead(t *testing.T) {
	rows := []struct {
		rule string
		ran  guard.Case
		want string // "" where nothing foreign was read
	}{
		{"a page", call("web_fetch", tool.Intent{Hosts: []string{"example.com"}}), "example.com"},
		{"a page by a program", bash("curl -s https://example.com/x | head"), "example.com"},
		{"a file outside", call("read_file", tool.Intent{Reads: []string{"../other/README"}}), "/home/dev/other/README"},
		{"a file outside by a program", bash("cat ~/other/README"), "/home/dev/other/README"},
		{"a tool server", call("mcp__issues__list", tool.Intent{Unknown: true}), "the tool server issues"},
		{"a tool that does not tell", call("other", tool.Intent{Unknown: true}), "the tool other"},
		{"a file of the workspace", call("read_file", tool.Intent{Reads: []string{"README"}}), ""},
		{"what is installed", bash("cat /usr/include/stdio.h"), ""},
		{"the project's tests", bash("go test ./..."), ""},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			x := &Taint{Programs: home}
			x.Ran(row.ran, tool.Result{})
			all := guard.All{Guards: []guard.Guard{home, x}}
			c := bash("git push origin main")
			shown := strings.Join(DescribeRequest(c, all.Judge(t.Context(), c), home, Change{}).Lines(), "\n")
			if want := "\n  after    reading " + row.want; (row.want != "") != strings.Contains(shown, want) || row.want == "" && strings.Contains(shown, "after") {
				t.Errorf("shown:\n%s", shown)
			}
			if v := x.Judge(t.Context(), call("read_file", tool.Intent{Reads: []string{"x"}})); len(v.Effects) > 0 || v.Decision != guard.Allow {
				t.Errorf("a look is given %+v", v)
			}
			x.Prompted("s")
			if v := x.Judge(t.Context(), c); len(v.Effects) > 0 {
				t.Errorf("after a message of the user: %v", v.Effects)
			}
		})
	}
}
