//go:build linux

package sandbox

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// tryOpened runs a script that may use more than the policy allows.
func tryOpened(t *testing.T, box Sandbox, o Opened, script string) (string, Result) {
	t.Helper()
	var out bytes.Buffer
	spec := shell(script)
	spec.Opened = o
	result, err := Run(t.Context(), box, spec, &out, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), result
}

// openedHome is a home with a project of its own in it, beside the workspace.
func grantedFixture(t *testing.T) (home, other, workspace string) {
	t.Helper()
	home, workspace = homeForTests(t), t.TempDir()
	other = filepath.Join(home, "other")
	for name, text := range map[string]string{
		home + "/.ssh/id_rsa": "SECRET", home + "/notes": "noted", other + "/a": "text", other + "/.env": "KEY=SECRET", other + "/.git/config": "x",
		workspace + "/.env": "KEY=mine", workspace + "/.git/config": "[core]\n", workspace + "/.git/hooks/h": "x",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return home, other, workspace
}

func TestWhatIsOpenedIsOpenForOneProgram(t *testing.T) {
	for _, backend := range backends() {
		name := backend.String()
		if name == "none" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			home, other, ws := grantedFixture(t)
			box := onBackend(t, Policy{Workspace: ws, Home: home}, backend)
			for _, row := range []struct {
				rule   string
				o      Opened
				script string
				works  bool
				only   string // the backend where this holds; "" is each
			}{
				{"closed before", Opened{}, "cat other/a || touch " + other + "/b", false, ""},
				{"open for writing", Opened{Write: []string{other}}, "cat " + other + "/a && echo x > " + other + "/new && cat " + other + "/new", true, ""},
				{"closed again", Opened{}, "cat " + other + "/a", false, ""},
				{"open for reading", Opened{Read: []string{other}}, "cat " + other + "/a", true, ""},
				{"open for reading is not open for writing", Opened{Read: []string{other}}, "echo x >> " + other + "/a", false, ""},
				{"one file", Opened{Read: []string{home + "/notes"}}, "cat " + home + "/notes", true, ""},
				{"what is beside it stays closed", Opened{Read: []string{home + "/notes"}}, "cat " + other + "/a", false, ""},
				{"keys stay closed below what is opened", Opened{Read: []string{home}}, "cat " + home + "/.ssh/id_rsa", false, ""},
				{"environment files stay closed below it", Opened{Read: []string{other}}, "cat " + other + "/.env", false, "namespaces"},
				{"protected files stay so below it", Opened{Write: []string{other}}, "echo x >> " + other + "/.git/config", false, "namespaces"},
				{"a closed file of the workspace by its name", Opened{Read: []string{ws + "/.env"}}, "grep mine .env", true, "namespaces"},
				{"which is then only read", Opened{Read: []string{ws + "/.env"}}, "echo x >> .env", false, "namespaces"},
				{"a protected file of the workspace by its name", Opened{Write: []string{ws + "/.git/config"}}, "git config --file .git/config user.name me && grep me .git/config", true, "namespaces"},
				{"and no other one", Opened{Write: []string{ws + "/.git/config"}}, "echo x > .git/hooks/h", false, "namespaces"},
			} {
				if row.only != "" && row.only != name {
					continue
				}
				out, result := tryOpened(t, box, row.o, row.script)
				if (result.Code == 0) != row.works {
					t.Errorf("%s: %d %s", row.rule, result.Code, out)
				}
				if strings.Contains(out, "SECRET") {
					t.Errorf("%s: %s", row.rule, out)
				}
			}
		})
	}
}

func TestSomePlacesAreNeverOpened(t *testing.T) {
	home, other, ws := grantedFixture(t)
	link := filepath.Join(ws, "link")
	if err := os.Symlink(other, link); err != nil {
		t.Fatal(err)
	}
	box := testBox(t, Policy{Workspace: ws, Home: home})
	for _, path := range []string{"/", "/proc", "/proc/1", "/sys", "/dev", "/run", "other", link, home + "/missing", box.inner.Private, filepath.Dir(box.inner.Private)} {
		if err := box.CheckOpened(path); err == nil {
			t.Errorf("%s can be opened", path)
		}
		spec := shell("true")
		spec.Opened = Opened{Read: []string{path}}
		if _, err := box.Start(t.Context(), spec); err == nil {
			t.Errorf("a program starts with %s", path)
		}
	}
	if err := box.CheckOpened(other); err != nil {
		t.Error(err)
	}
}

func TestWhatIsOpenedIsNotExplainedAsClosed(t *testing.T) {
	home, other, ws := grantedFixture(t)
	box := needBox(t, Policy{Workspace: ws, Home: home})
	o := Opened{Write: []string{other}}
	out, result := tryOpened(t, box, o, "cat "+other+"/missing")
	e := Evidence{Command: "cat " + other + "/missing", Output: out, Result: result, Opened: o}
	if found := box.Explain(e); len(found) != 0 {
		t.Errorf("explained as %+v", found)
	}
	e = Evidence{Command: "ls " + other, Output: "ls: cannot access '" + other + "': No such file or directory\n", Result: result}
	if len(box.Explain(e)) == 0 {
		t.Error("without it, it is closed")
	}
}
