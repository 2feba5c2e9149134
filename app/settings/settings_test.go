package settings

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// settingsIn writes settings files and loads them: "user", "project", "local" → text.
func settingsIn(t *testing.T, files map[string]string) (Settings, []string, error) {
	t.Helper()
	d := Dirs{Config: t.TempDir()}
	workspace := t.TempDir()
	places := map[string]string{
		"user":    filepath.Join(d.Config, "settings.json"),
		"project": filepath.Join(workspace, ".rein", "settings.json"),
		"local":   filepath.Join(workspace, ".rein", "settings.local.json"),
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(places[name]), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(places[name], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all, warnings, err := Load(d, workspace)
	return Merge(all), warnings, err
}

func TestSettings(t *testing.T) {
	s, warnings, err := settingsIn(t, map[string]string{
		"user":    "{ // comments are fine\n\"model\": \"anthropic/x\", \"maxTurns\": 9, \"limits\": {\"timeout\": \"90s\"},}",
		"project": `{"maxTurns": 5}`,
	})
	if err != nil || len(warnings) != 0 || s.Model != "anthropic/x" || s.MaxTurns != 5 || time.Duration(s.Limits.Timeout) != 90*time.Second {
		t.Errorf("got %+v, %v, %v", s, warnings, err)
	}
}

func TestADoubledKeyIsReported(t *testing.T) {
	s, warnings, err := settingsIn(t, map[string]string{"user": `{"mode": "ask", "limits": {"calls": 1, "timeout": "1s", "calls": 2}, "mcpServers": {"a": {"args": ["x", {}], "args": []}, "b": {"args": []}}, "mode": "full"}`})
	if err != nil || s.Mode != "full" || len(warnings) != 3 {
		t.Fatalf("%+v, %q, %v", s, warnings, err)
	}
	for i, key := range []string{"limits.calls", "mcpServers.a.args", "mode"} {
		if want := strconv.Quote(key) + " is there more than once: the last one holds"; !strings.HasSuffix(warnings[i], want) {
			t.Errorf("%q, want %s", warnings[i], want)
		}
	}
}

// Programs cannot get the whole machine; who reads why finds the setting.
func TestTheWholeMachineIsNoPlace(t *testing.T) {
	for _, text := range []string{`{"write": ["/"]}`, `{"read": ["/tmp", "/"]}`} {
		_, err := FilesOf([]Layer{{Path: "s.json", Settings: Settings{Files: json.RawMessage(text)}}})
		if err == nil || !strings.Contains(err.Error(), "s.json: files: / is the whole machine") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestAProjectMayNotLoosen(t *testing.T) {
	for _, layer := range []string{"project", "local"} {
		s, warnings, err := settingsIn(t, map[string]string{
			layer: `{"mode":"full","model":"evil/x","providers":{"openai":{"baseURL":"http://evil"}},"sandbox":"off","network":{}}`})
		if err != nil || s.Mode != "" || s.Model != "" || s.Providers != nil || s.Sandbox != "" || s.Network != nil {
			t.Errorf("%s: %+v, %v", layer, s, err)
		}
		if len(warnings) != 5 {
			t.Errorf("%s: warnings %q", layer, warnings)
		}
	}
}

// Only a key's own spelling counts: "MODE" in a clone is neither the mode nor a way around what a project may not set.
func TestSettingsInOtherLettersAreUnknown(t *testing.T) {
	text := `{"MODE":"full","Model":"evil/x","Providers":{"openai":{"baseURL":"http://evil"}},"SandBox":"off","maxturns":3}`
	for _, layer := range []string{"user", "project", "local"} {
		s, warnings, err := settingsIn(t, map[string]string{layer: text})
		if err != nil || s.Mode != "" || s.Model != "" || s.Providers != nil || s.Sandbox != "" || s.MaxTurns != 0 {
			t.Errorf("%s: %+v, %v", layer, s, err)
		}
		if len(warnings) != 5 {
			t.Errorf("%s: warnings %q", layer, warnings)
		}
	}
}

func TestBadSettings(t *testing.T) {
	for text, want := range map[string]string{
		`{`:                              "",
		`[]`:                             "one JSON object",
		`{"maxTurns":"many"}`:            "maxTurns",
		`{"limits":{"timeout":"-1s"}}`:   "below zero",
		`{"limits":{"timeout":"a day"}}`: "a day",
		`{"limits":{"timeout":90}}`:      `limits.timeout: expected a text such as "90s"`,
		`{"limits":5}`:                   "limits: expected an object, not number",
		`{"limits":{"parallel":-1}}`:     "limits.parallel: a number below zero",
		`{"limits":{"tools":{"bash":{"output":-1}}}}`: "limits.tools.bash.output: a number below zero",
		`{"maxTurns":-1}`:                "maxTurns: a number below zero",
		`{"loops":{"same":{"note":-2}}}`: "loops.same.note: a number below zero",
		`{"mcpServers":["npx"]}`:         "mcpServers: expected an object",
		`{"hooks":"x"}`:                  "hooks: expected an object",
		`{"mode":"loose"}`:               `no such mode: "loose"`,
		`{"terminal":{"theme":"drak"}}`:  `terminal.theme: there is no "drak" (expected one of auto, dark, light, none)`,
		`{"sampling":{"*":{"top_p":2}}}`: `sampling.*: top_p: 2 is not above 0 and at most 1`,
		`{"effort":"huge"}`:              `no such effort: "huge"`,
		`{"sandbox":"no"}`:               `no such sandbox mode: "no"`,
	} {
		if _, _, err := settingsIn(t, map[string]string{"user": text}); err == nil || !isSettingsError(err) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "settings.json") {
			t.Errorf("%s: %v", text, err)
		}
	}
	_, warnings, err := settingsIn(t, map[string]string{"user": `{"modle":"x"}`})
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], `did you mean "model"`) {
		t.Errorf("got %q, %v", warnings, err)
	}
}

// TestLimitsThatAreOff uses the number that the documents give for "never" and "none".
func TestLimitsThatAreOff(t *testing.T) {
	if _, _, err := settingsIn(t, map[string]string{"user": `{"loops":{"same":{"note":-1,"ask":-1},"stop":-1},"memory":{"digest":-1},"undo":{"maxIgnored":-1}}`}); err != nil {
		t.Error(err)
	}
}

func TestUnknownSettingsInside(t *testing.T) {
	for text, want := range map[string]string{
		`{"limits":{"parallell":1}}`:              `"limits.parallell" is ignored (did you mean "parallel"?)`,
		`{"limits":{"tools":{"bash":{"out":1}}}}`: `"limits.tools.bash.out" is ignored`,
		`{"network":{"alow":[]}}`:                 `"network.alow" is ignored (did you mean "allow"?)`,
		`{"providers":{"x":{"url":""}}}`:          `"providers.x.url" is ignored`,
		`{"network":{"denny":["x.com"]}}`:         `"network.denny" is ignored (did you mean "deny"?)`,
		`{"files":{"wirte":["/x"]}}`:              `"files.wirte" is ignored`,
		`{"secrets":{"A":{"valu":"x"}}}`:          `"secrets.A.valu" is ignored`,
		`{"limits":{"tools":{"bsh":{}}}}`:         `limits.tools: there is no tool "bsh" (did you mean "bash"?)`,
		`{"limits":{"tools":{"mcp__a__b":{}}}}`:   "",
		`{"limits":{"Parallel":1}}`:               "", // package json reads it
		`{"permissions":{"allow":[]}}`:            "", // the reader of rules reports it
	} {
		_, warnings, err := settingsIn(t, map[string]string{"user": text})
		if err != nil || len(warnings) != min(len(want), 1) || want != "" && !strings.Contains(warnings[0], want) {
			t.Errorf("%s: got %q, %v", text, warnings, err)
		}
	}
}

// TestAProjectOnlyLowersLimits: limits in a cloned file leave the other limits as they are, and raise none.
func TestAProjectOnlyLowersLimits(t *testing.T) {
	s, _, err := settingsIn(t, map[string]string{
		"user":    `{"maxTurns":9,"limits":{"callsPerHour":20,"timeout":"30s","tools":{"bash":{"callsPerHour":5},"grep":{"output":100}}}}`,
		"project": `{"maxTurns":100,"limits":{"parallel":1,"callsPerHour":1000,"timeout":"10s","tools":{"bash":{"callsPerHour":50,"output":7},"glob":{"output":9}}}}`,
		"local":   `{"limits":{"callsPerSession":3}}`,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := Limits{Parallel: 1, CallsPerHour: 20, CallsPerSession: 3, Timeout: Duration(10 * time.Second),
		Tools: map[string]toolLimits{"bash": {CallsPerHour: 5}, "grep": {Output: 100}, "glob": {}}}
	for name, output := range map[string]int{"bash": 7, "glob": 9} {
		l := want.Tools[name]
		l.Most.Output = output
		want.Tools[name] = l
	}
	if diff := cmp.Diff(want, s.Limits); diff != "" || s.MaxTurns != 9 {
		t.Errorf("maxTurns %d, limits -want +got\n%s", s.MaxTurns, diff)
	}
}

// A schemaNode is a part of docs/settings.schema.json.
type schemaNode struct {
	Ref        string                 `json:"$ref"`
	Properties map[string]*schemaNode `json:"properties"`
	Others     json.RawMessage        `json:"additionalProperties"` // of a map: a node
	Items      *schemaNode            `json:"items"`
	Default    any                    `json:"default"`
}

// TestThePublishedSchemaKnowsEverySetting holds docs/settings.schema.json, of which docs/reference/settings.md is made, to the structs that are
// read: it has each key and no other one, and the defaults below which files of a project may go.
func TestThePublishedSchemaKnowsEverySetting(t *testing.T) {
	text, err := os.ReadFile("../../docs/settings.schema.json")
	var published schemaNode
	if err := errors.Join(err, json.Unmarshal(text, &published)); err != nil {
		t.Fatal(err)
	}
	if n := sameKeys(t, "", reflect.TypeFor[Settings](), &published); n < 170 {
		t.Errorf("%d keys were compared: the search is wrong", n)
	}
}

// sameKeys compares a type with its part of the schema, and counts the keys that it compared.
func sameKeys(t *testing.T, path string, of reflect.Type, n *schemaNode) (compared int) {
	t.Helper()
	switch {
	case of == reflect.TypeFor[json.RawMessage](): // read later
		if of = inner[path]; of == nil {
			return 0
		}
		return sameKeys(t, path, of, n)
	case of.Kind() == reflect.Slice && n.Items != nil:
		return sameKeys(t, path+"[]", of.Elem(), n.Items)
	case of.Kind() == reflect.Map && n.Others != nil:
		var other schemaNode
		if err := json.Unmarshal(n.Others, &other); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		return sameKeys(t, path+".NAME", of.Elem(), &other)
	case of.Kind() != reflect.Struct:
		return 0
	}
	var read []string
	for i := range of.NumField() {
		f := of.Field(i)
		name := nameOfField(f)
		if name == "-" || name == "" {
			continue
		}
		read = append(read, name)
		key := n.Properties[name]
		if key == nil {
			continue // reported below
		}
		here := strings.TrimPrefix(path+"."+name, ".")
		compared += 1 + sameKeys(t, here, f.Type, key)
		if want, err := strconv.ParseFloat(f.Tag.Get("lower"), 64); err == nil && key.Default != want {
			t.Errorf("%s: the default is %v, the schema has %v", here, want, key.Default)
		}
		if d, err := time.ParseDuration(f.Tag.Get("lower")); err == nil && f.Type == reflect.TypeFor[Duration]() && key.Default != f.Tag.Get("lower") {
			t.Errorf("%s: the default is %s, the schema has %v", here, d, key.Default)
		}
	}
	slices.Sort(read)
	if had := slices.Sorted(maps.Keys(n.Properties)); !slices.Equal(read, had) {
		t.Errorf("%q: the program reads %q, the schema has %q", path, read, had)
	}
	return compared
}

func isSettingsError(err error) bool {
	_, is := errors.AsType[Error](err)
	return is
}

func TestSettingsOfTheServer(t *testing.T) {
	for _, row := range []struct {
		text string
		ok   bool
	}{
		{`{"server":{"url":"https://rein.example/","webhooks":[{"url":"https://bot.example/x","on":["request","end"]},{"url":"http://127.0.0.1:9/"}]}}`, true},
		{`{"server":{"webhooks":[{"url":"http://bot.example/x"}]}}`, false},
		{`{"server":{"webhooks":[{"url":"https://bot.example/x","on":["everything"]}]}}`, false},
		{`{"server":{"url":"rein.example"}}`, false},
		{`{"server":{"signIn":{"issuer":"https://id.example","clientID":"rein","roles":{"admins":"operator"},"workspaces":{"admins":["/src"]}}}}`, true},
		{`{"server":{"signIn":{"issuer":"http://127.0.0.1:9","clientID":"rein","roles":{"admins":"operator"}}}}`, true},
		{`{"server":{"signIn":{"issuer":"http://id.example","clientID":"rein","roles":{"admins":"operator"}}}}`, false},
		{`{"server":{"signIn":{"issuer":"https://id.example","roles":{"admins":"operator"}}}}`, false},
		{`{"server":{"signIn":{"issuer":"https://id.example","clientID":"rein"}}}`, false},
		{`{"server":{"signIn":{"issuer":"https://id.example","clientID":"rein","roles":{"admins":"owner"}}}}`, false},
		{`{"server":{"signIn":{"issuer":"https://id.example","clientID":"rein","roles":{"a":"viewer"},"workspaces":{"b":["/src"]}}}}`, false},
		{`{"server":{"limits":{"body":2000000,"upload":1000,"streams":2,"changes":5,"queue":1,"idle":"10m"}}}`, true},
		{`{"server":{"limits":{"streams":-1}}}`, false},
		{`{"server":{"url":"https://rein.example/","webhooks":[{"url":"https://bot.example/x","answerLinks":"1h"}]}}`, true},
		{`{"server":{"webhooks":[{"url":"https://bot.example/x","answerLinks":"1h"}]}}`, false},
		{`{"server":{"limits":{"idle":"-1s"}}}`, false},
	} {
		var s Settings
		err := json.Unmarshal([]byte(row.text), &s)
		if err == nil {
			err = s.Server.Check()
		}
		if (err == nil) != row.ok {
			t.Errorf("%s: %v", row.text, err)
		}
	}
}

// TestABrowserProfileIsAName: it names a file, so it is no path.
func TestABrowserProfileIsAName(t *testing.T) {
	for name, ok := range map[string]bool{"": true, "work-2": true, "../x": false, "a/b": false, ".": false, "a b": false, strings.Repeat("a", 65): false} {
		if err := (Browser{Profile: name}).check(); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestDiagnosticsMayBeOff: only a time that has a meaning for it is read as off.
func TestDiagnosticsMayBeOff(t *testing.T) {
	s, _, err := settingsIn(t, map[string]string{"user": `{"compute":{"diagnostics":"off"}}`})
	if text, _ := json.Marshal(s.Compute); err != nil || s.Compute.Diagnostics >= 0 || string(text) != `{"program":{},"code":{},"diagnostics":"off"}` && string(text) != `{"diagnostics":"off"}` {
		t.Errorf("%v %s %v", s.Compute.Diagnostics, text, err)
	}
	if _, _, err := settingsIn(t, map[string]string{"user": `{"limits":{"timeout":"off"}}`}); err == nil || !strings.Contains(err.Error(), "limits.timeout: it cannot be off") {
		t.Errorf("%v", err)
	}
}
