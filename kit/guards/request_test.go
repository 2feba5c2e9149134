package guards

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"rein/guard"
	"rein/tool"
)

// TestARequestNamesWhatItWouldOpen: the hosts of a call as data, with port and path.
func TestARequestNamesWhatItWouldOpen(t *testing.T) {
	fetch := call("web_fetch", tool.Intent{Hosts: []string{"Example.com"}})
	fetch.Call.Args = []byte(`{"url":"https://example.com/a/b?q=1"}`)
	other := call("web_fetch", tool.Intent{Hosts: []string{"example.com:8443"}})
	other.Call.Args = []byte(`{"url":"https://other.test/a"}`)
	for _, row := range []struct {
		rule string
		c    guard.Case
		want []string
	}{
		{"a URL", bash("curl https://example.com/x?y=z"), []string{"example.com:443/x"}},
		{"a URL without a scheme", bash("curl example.com"), []string{"example.com:80"}},
		{"a URL with a port", bash("wget http://Example.com:8080/f"), []string{"example.com:8080/f"}},
		{"an installer", bash("npm install left-pad"), []string{"registry.npmjs.org:443 (preset:npm)"}},
		{"an installer by its path", bash("/usr/bin/pip install x"), []string{"pypi.org:443 (preset:pypi)"}},
		{"git over ssh", bash("git clone git@github.com:a/b"), []string{"github.com:22"}},
		{"git over https", bash("git clone https://github.com/a/b"), []string{"github.com:443/a/b"}},
		{"a socket", bash("nc example.com 7000"), []string{"example.com:7000"}},
		{"a web tool", fetch, []string{"example.com:443/a/b"}},
		{"a web tool whose URL is for another host", other, []string{"example.com:8443"}},
		{"no network", bash("rm x"), nil},
	} {
		t.Run(row.rule, func(t *testing.T) {
			r := DescribeRequest(row.c, everyday.Judge(t.Context(), row.c), home, Change{})
			var have []string
			for _, c := range r.Contacts {
				have = append(have, c.String())
			}
			for _, w := range row.want {
				if !slices.Contains(have, w) {
					t.Errorf("want %s in %q", w, have)
				}
				if text := strings.Join(r.Lines(), "\n"); !strings.Contains(text, w) {
					t.Errorf("want %s in\n%s", w, text)
				}
			}
			if (len(have) > 0) != (row.want != nil) || r.Network != (row.want != nil) {
				t.Errorf("contacts %q, network %v", have, r.Network)
			}
		})
	}
	if c := bash("git push origin main"); !DescribeRequest(c, home.Judge(t.Context(), c), home, Change{}).Network {
		t.Error("git push does not contact the network")
	}
}

// TestARequestIsData: it survives the wire, and what is approved is what is shown.
func TestARequestIsData(t *testing.T) {
	c := bash("ls && npm install left-pad")
	c.Call.ID = "7"
	sent := DescribeRequest(c, everyday.Judge(t.Context(), c), home, Change{})
	sent.Always = []string{"bash(npm install:*)"}
	text, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	var got guard.Request
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Lines(), sent.Lines()) || got.Hash != c.Binding().Hash() || len(got.Always) != 1 {
		t.Errorf("sent %+v\ngot %+v", sent, got)
	}
	if len(got.Marks) != 1 || c.Intent.Command[got.Marks[0].Start:got.Marks[0].End] != "npm install left-pad" {
		t.Errorf("marks %v", got.Marks)
	}
	edit := call("edit_file", tool.Intent{Writes: []string{"a"}})
	if r := DescribeRequest(edit, guard.Verdict{Decision: guard.Ask}, home, Change{Lines: []string{"-a", "+b"}, Whole: true}); r.Args != nil || r.Hash != edit.Binding().Hash() {
		t.Errorf("a diff that shows everything: %+v", r)
	}
}

// all are the guards of a session, for what is offered and remembered.
var everyday = guard.All{Guards: []guard.Guard{Paths{Here: home.Here, Plan: "PLAN.md"}, home, Hosts{}, Unknown{}}}

// What deletes something, or may send something to where others see it, is answered by itself, however low its risk is.
func TestWhatIsAnsweredByItself(t *testing.T) {
	unknown := call("mcp__tracker__create_issue", tool.Intent{Unknown: true})
	unknown.Effect = tool.Reaches
	for _, row := range []struct {
		c     guard.Case
		alone bool
	}{
		{bash("go test ./..."), false}, {bash("npm install left-pad"), false}, {bash("curl https://example.com"), false},
		{bash("rm x"), true}, {bash("find . -name '*.o' -delete"), true}, {bash("git push"), true}, {bash("npm publish"), true}, {bash("gh pr create --fill"), true},
		{bash("git push --force"), true}, {bash("ls; 'unclosed"), true}, {unknown, true},
	} {
		if got := DescribeRequest(row.c, everyday.Judge(t.Context(), row.c), home, Change{}).Alone(); got != row.alone {
			t.Errorf("%s %s: %v", row.c.Call.Name, row.c.Call.Args, got)
		}
	}
}
