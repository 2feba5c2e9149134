package settings

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"rein/kit/sandbox"
)

func TestAmounts(t *testing.T) {
	for text, want := range map[string]int64{
		`4096`: 4096, `"4096"`: 4096, `"2GiB"`: 2 << 30, `"2 GiB"`: 2 << 30, `"2G"`: 2 << 30, `"500MB"`: 500_000_000, `"1kB"`: 1000, `"7B"`: 7,
		`"off"`: -1, `0`: 0,
	} {
		var a amount
		if err := json.Unmarshal([]byte(text), &a); err != nil || int64(a) != want {
			t.Errorf("%s: got %d, %v; want %d", text, a, err, want)
		}
		var again amount
		if s := a.String(); s != "" && (again.Set(s) != nil || again != a) {
			t.Errorf("%s: %q is read as %d", text, s, again)
		}
	}
	for _, text := range []string{`-1`, `"-1"`, `1.5`, `"many"`, `"2 GiB of it"`, `""`, `"GiB"`, `true`, `null`, `[1]`, `"9999999999TiB"`} {
		var a amount
		if err := json.Unmarshal([]byte(text), &a); err == nil && text != `null` {
			t.Errorf("%s: read as %d", text, a)
		}
	}
}

func TestProgramsAreBoundByTheUsersSettings(t *testing.T) {
	const text = `{"programs":{"cpu":"90s","memory":"1GiB","fileSize":1000,"openFiles":"off","processes":50,"output":"2MB","debuggers":true}}`
	s, warnings, err := settingsIn(t, map[string]string{"user": text})
	want := sandbox.Limits{CPU: 90 * time.Second, Memory: 1 << 30, FileSize: 1000, OpenFiles: -1, Processes: 50, Output: 2_000_000}
	if err != nil || len(warnings) > 0 || s.Programs.Limits() != want || !s.Programs.Debuggers {
		t.Errorf("got %+v, %q, %v", s.Programs.Limits(), warnings, err)
	}
	s, warnings, err = settingsIn(t, map[string]string{"user": text, "project": `{"programs":{"memory":"off","output":"off"}}`})
	if err != nil || len(warnings) != 1 || s.Programs.Limits() != want {
		t.Errorf("a project loosened: %+v, %q, %v", s.Programs.Limits(), warnings, err)
	}
}

func TestTheUserNamesWhereProgramsRun(t *testing.T) {
	s, warnings, err := settingsIn(t, map[string]string{"user": `{"sandboxBackend":{"name":"container","image":"i","engine":"podman"}}`,
		"project": `{"sandboxBackend":{"name":"none","image":"evil"}}`})
	if err != nil || len(warnings) != 1 {
		t.Errorf("a project named a backend: %q, %v", warnings, err)
	}
	for name, c := range map[string]struct {
		before sandbox.Policy
		want   string
	}{
		"by the settings": {sandbox.Policy{}, "container"}, "a flag comes first": {sandbox.Policy{Only: "landlock"}, "landlock"},
		"no sandbox is wanted": {sandbox.Policy{Mode: sandbox.Off}, ""},
	} {
		if p := s.Backend.Apply(c.before); p.Only != c.want || p.Elsewhere.Image != "i" || p.Elsewhere.Engine != "podman" {
			t.Errorf("%s: got %+v", name, p)
		}
	}
	for text, want := range map[string]string{
		`{"sandboxBackend":{"name":"moat"}}`: "moat", `{"sandboxBackend":{"name":"container"}}`: "image", `{"sandboxBackend":{"name":"external"}}`: "command",
	} {
		if _, _, err := settingsIn(t, map[string]string{"user": text}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

// TestTheDefaultsOfProgramsAreTold holds the schema and the sandbox to each other.
func TestTheDefaultsOfProgramsAreTold(t *testing.T) {
	text, err := os.ReadFile("../../docs/settings.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var published struct {
		Properties struct {
			Programs struct {
				Properties map[string]struct {
					Default json.RawMessage `json:"default"`
					Pattern string          `json:"pattern"`
				} `json:"properties"`
			} `json:"programs"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(text, &published); err != nil {
		t.Fatal(err)
	}
	defaults := map[string]json.RawMessage{}
	for name, p := range published.Properties.Programs.Properties {
		defaults[name] = p.Default
		want := strings.Trim(string(p.Default), `"`)
		if name != "cpu" && !regexp.MustCompile(p.Pattern).MatchString(want) {
			t.Errorf("%s: the default %s is not what the schema allows", name, want)
		}
	}
	whole, _ := json.Marshal(defaults)
	var p Programs
	if err := json.Unmarshal(whole, &p); err != nil {
		t.Fatal(err)
	}
	if got := p.Limits(); got != sandbox.DefaultLimits() {
		t.Errorf("the schema has %+v, the sandbox has %+v", got, sandbox.DefaultLimits())
	}
}
