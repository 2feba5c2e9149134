package settings

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func written(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// A change that would stop the next start, that nothing reads, or that a front end must not make leaves the file as it was.
func TestAChangeIsCheckedBeforeItIsWritten(t *testing.T) {
	const text = "// mine\n{\"effort\": \"high\", \"unknown\": 1}\n"
	for name, row := range map[string]struct {
		names []string
		value any
	}{
		"a mode that there is not": {[]string{"mode"}, "wild"}, "a wrong kind": {[]string{"maxTurns"}, "many"}, "below zero": {[]string{"limits", "calls"}, -5}, "no duration": {[]string{"limits", "timeout"}, "soon"},
		"an unknown name": {[]string{"modle"}, "x"}, "an unknown name inside": {[]string{"limits", "cals"}, 1}, "a value in a value": {[]string{"effort", "x"}, 1},
		"hooks": {[]string{"hooks"}, map[string]any{}}, "a key of a provider": {[]string{"providers", "openai", "baseURL"}, "http://evil.test"}, "the sandbox": {[]string{"sandbox"}, "off"},
		"in other letters": {[]string{"Sandbox"}, "off"}, "rules": {[]string{"permissions", "allow"}, []string{"bash"}}, "nothing": {nil, 1},
	} {
		file := written(t, text)
		err := Change(file, row.value, false, row.names...)
		now, readErr := os.ReadFile(file)
		if err == nil || readErr != nil || string(now) != text {
			t.Errorf("%s: %v, the file is %q", name, err, now)
		}
	}
	for _, name := range ByHand() {
		if err := Change(written(t, text), "x", true, name); !errors.Is(err, ErrByHand) {
			t.Errorf("%s: %v", name, err)
		}
	}
	file := written(t, text)
	if err := Change(file, "low", true, "effort"); err != nil {
		t.Error(err)
	}
	if now, _ := os.ReadFile(file); string(now) != text {
		t.Errorf("a check has changed the file: %q", now)
	}
	for _, step := range []struct {
		names []string
		value any
	}{{[]string{"effort"}, "low"}, {[]string{"limits", "timeout"}, "90s"}, {[]string{"limits", "calls"}, 12}, {[]string{"limits", "calls"}, nil}, {[]string{"thinkFirst"}, nil}, {[]string{"loops", "stop"}, nil}} {
		if err := Change(file, step.value, false, step.names...); err != nil {
			t.Errorf("%v: %v", step, err)
		}
	}
	now, _ := os.ReadFile(file)
	for _, want := range []string{"// mine", `"effort": "low"`, `"timeout": "90s"`, `"unknown": 1`} {
		if !strings.Contains(string(now), want) {
			t.Errorf("%s is not in %s", want, now)
		}
	}
	if strings.Contains(string(now), "calls") || strings.Contains(string(now), "loops") {
		t.Errorf("what was taken away is there: %s", now)
	}
}

func TestARuleIsTakenOutOfItsList(t *testing.T) {
	file := written(t, `{"permissions": {/* why */ "allow": ["a", {"rule": "b", "why": "x"}, "c"]}}`)
	e, err := OpenEdit(file)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"b": true, "nothing": false, "a": true} {
		if was, err := e.Remove("/permissions/allow", func(x string) bool { return x == text }); err != nil || was != want {
			t.Errorf("%s: %v %v", text, was, err)
		}
	}
	if was, err := e.Remove("/permissions/deny", func(string) bool { return true }); was || err != nil {
		t.Error(was, err)
	}
	if err := e.Write(); err != nil {
		t.Fatal(err)
	}
	now, _ := os.ReadFile(file)
	if got := strings.Join(strings.Fields(string(now)), ""); got != `{"permissions":{/*why*/"allow":["c"]}}` {
		t.Error(got)
	}
}

// Each setting that holds has the layer that decides it. A project that only repeats or raises a limit decides nothing.
func TestWhereSettingsComeFrom(t *testing.T) {
	var layers []Layer
	for _, l := range []struct{ name, text string }{
		{"user", `{"model": "a/b", "limits": {"calls": 50, "timeout": "90s", "tools": {"bash": {"timeout": "2m"}}}, "secrets": {"k": {"env": "K"}}, "permissions": {"deny": ["bash(rm:*)"]}}`},
		{"own", `{"model": "c/d", "effort": "low"}`},
		{"project", `{"limits": {"calls": 20, "timeout": "10m"}, "model": "evil/x", "permissions": {"ask": ["bash(git:*)"]}}`},
	} {
		layer := Layer{Name: l.name, Path: "/" + l.name}
		if _, err := layer.Parse([]byte(l.text)); err != nil {
			t.Fatal(err)
		}
		layers = append(layers, layer)
	}
	all, err := Explain(layers)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, v := range all {
		got[strings.Join(v.Names, ".")+"@"+v.Layer] = string(v.Value)
	}
	for _, want := range []struct{ at, value string }{{"model@own", `"c/d"`}, {"effort@own", `"low"`}, {"limits.calls@project", "20"}, {"limits.timeout@user", `"1m30s"`},
		{"limits.tools@user", `{"bash":{"timeout":"2m0s"}}`}, {"secrets@user", `{"k":{"env":"K"}}`}, {"permissions@user", `{"deny":["bash(rm:*)"]}`}, {"permissions@project", `{"ask":["bash(git:*)"]}`}} {
		if strings.Join(strings.Fields(got[want.at]), "") != want.value {
			t.Errorf("%s: %s, want %s", want.at, got[want.at], want.value)
		}
		delete(got, want.at)
	}
	if len(got) > 0 {
		t.Error("there is more:", got)
	}
}

// Rules that are saved together are in lines of their own, by which they are named; comments stay where they are.
func TestSavedRulesHaveALineEach(t *testing.T) {
	for old, want := range map[string]string{
		"": "{\"permissions\": {\"allow\": [\n\t\"bash(a)\",\n\t\"bash(b)\"\n]}}\n",
		`{"permissions": {"allow": ["x"], "deny": ["y"]}}`:                                  "{\"permissions\": {\"allow\": [\n\t\"x\",\n\t\"bash(a)\",\n\t\"bash(b)\"\n], \"deny\": [\"y\"]}}\n",
		"{\n\t\"permissions\": {\n\t\t\"allow\": [\n\t\t\t\"x\", // why\n\t\t],\n\t},\n}\n": "{\n\t\"permissions\": {\n\t\t\"allow\": [\n\t\t\t\"x\", // why\n\t\t\t\"bash(a)\",\n\t\t\t\"bash(b)\",\n\t\t],\n\t},\n}\n",
	} {
		file := filepath.Join(t.TempDir(), "settings.json")
		if old != "" {
			if err := os.WriteFile(file, []byte(old), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := AddAll(file, "/permissions/allow", []string{"bash(a)", "bash(b)"}, func() error { return nil }); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(file); string(got) != want {
			t.Errorf("%q became\n%s", old, got)
		}
	}
}
