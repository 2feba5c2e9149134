package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// settingNode is a part of the schema of the settings, which TestThePublishedSchemaKnowsEverySetting holds to the program.
type settingNode struct {
	Type        any                     `json:"type"`
	Enum        []string                `json:"enum"`
	Description string                  `json:"description"`
	Default     any                     `json:"default"`
	Examples    []json.RawMessage       `json:"examples"`
	Properties  map[string]*settingNode `json:"properties"`
	Others      json.RawMessage         `json:"additionalProperties"`
	Items       *settingNode            `json:"items"`
}

const aboutSettings = `
Without a default, a key is not set, or the row says what happens then. 0 and an empty text are the default too, unless the row says otherwise.
` + "`NAME`" + ` stands for a name of yours, ` + "`[]`" + ` for each entry of a list. A time is a text such as ` + "`\"90s\"` or `\"1h30m\"`" + `.

Flags override settings: ` + "`--model`, `--mode`, `--sandbox`, `--sandbox-backend`, `--max-turns`, `--budget`, `--timeout`" + ` (it limits every tool, also
those with a limit of their own), ` + "`--parallel`, `--allow`, `--ask`, `--deny`, `--only`" + ` (the rules of the only calls that there are: every other call is
denied without a question, and other tools are not offered). rein understands the names of other harnesses for the same flags
(` + "`--permission-mode`, `--allowedTools`, `--dangerously-skip-permissions`" + ` …). ` + "`rein sandbox`" + ` has a flag for each of ` + "`programs`" + `.

Next: [settings.md](../settings.md) for the files in which they are, ` + "`rein doctor`" + ` to check them.
`

// settingsPage lists every key of the settings.
func settingsPage(w pageWords) (string, error) {
	text, err := fs.ReadFile(root, "docs/settings.schema.json")
	if err != nil {
		return "", err
	}
	var top settingNode
	if err := json.Unmarshal(text, &top); err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n| %s | %s | %s | %s |\n|---|---|---|---|\n", w.of("All settings"), w.of("You get each key with its meaning and its default. This page is made from [settings.schema.json](../settings.schema.json), "+
		"the JSON Schema for editors (`\"$schema\"`), which a test holds to the program."), w.of("key"), w.of("values"), w.of("meaning"), w.of("default"))
	rows := settingsTable{&b, w}
	if err := rows.all("", &top); err != nil {
		return "", err
	}
	return b.String() + w.lines(aboutSettings), nil
}

// settingsTable writes the rows of the settings in a language.
type settingsTable struct {
	*strings.Builder
	words pageWords
}

// all writes the rows of the keys in an object. One that others are in has a row where it says more than they do.
func (b settingsTable) all(path string, of *settingNode) error {
	for _, name := range slices.Sorted(maps.Keys(of.Properties)) {
		if err := b.of(strings.TrimPrefix(path+"."+name, "."), of.Properties[name]); err != nil {
			return err
		}
	}
	return nil
}

func (b settingsTable) of(path string, n *settingNode) error {
	inside := path
	for n.Items != nil && n.Items.Properties != nil || len(n.Others) > 0 && n.Others[0] == '{' {
		if err := b.row(inside, n); err != nil {
			return err
		}
		if n.Items != nil && n.Items.Properties != nil {
			inside, n = inside+"[]", n.Items
			continue
		}
		var other settingNode
		if err := json.Unmarshal(n.Others, &other); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		inside += ".NAME"
		if n = &other; n.Properties == nil && n.Items == nil && len(n.Others) == 0 {
			return nil // its row says it
		}
	}
	if n.Properties == nil || inside == path {
		if err := b.row(inside, n); err != nil {
			return err
		}
	}
	return b.all(inside, n)
}

// row writes one key.
func (b settingsTable) row(path string, n *settingNode) error {
	if n.Description == "" && (n.Properties != nil || strings.HasSuffix(path, ".NAME")) {
		return nil // the rows beside it say it
	}
	if n.Description == "" {
		return fmt.Errorf("docs/settings.schema.json: %s has no description", path)
	}
	meaning := cell(regexp.MustCompile(`docs/([a-z_]+\.md)`).ReplaceAllString(b.words.of(n.Description), "[$1](../$1)"))
	colon := ": "
	if b.words.rows != nil {
		colon = "："
	}
	if len(n.Examples) > 0 {
		meaning += colon + "`" + strings.ReplaceAll(string(n.Examples[0]), "|", `\|`) + "`"
	}
	preset := ""
	if n.Default != nil {
		preset = "`" + bytesOf(n.Description, n.Default) + "`"
	}
	fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", path, b.kind(n), meaning, preset)
	return nil
}

// kind says what may be there.
func (b settingsTable) kind(n *settingNode) string {
	if len(n.Enum) > 0 {
		return "`" + strings.Join(n.Enum, "`, `") + "`"
	}
	words := map[any]string{"string": "text", "boolean": "`true`, `false`", "integer": "number", "number": "number", "array": "list", "object": "object"}
	if several, ok := n.Type.([]any); ok {
		var all []string
		for _, one := range several {
			all = append(all, b.words.of(words[one]))
		}
		return strings.Join(all, " "+b.words.of("or")+" ")
	}
	if kind := cmp.Or(words[n.Type], "object"); n.Type != "boolean" {
		return b.words.of(kind)
	}
	return words[n.Type]
}

// bytesOf writes a default. Large numbers of bytes are easier to read in GiB, MiB and KiB.
func bytesOf(description string, v any) string {
	if n, ok := v.(float64); ok && strings.Contains(description, "bytes") {
		for unit, size := range map[string]int64{"GiB": 1 << 30, "MiB": 1 << 20, "KiB": 1 << 10} {
			if whole := int64(n) / size; whole > 0 && whole < 1024 && int64(n)%size == 0 {
				return fmt.Sprintf("%d %s", whole, unit)
			}
		}
	}
	if text, ok := v.(string); ok {
		return text
	}
	out, _ := json.Marshal(v) // it was JSON
	return string(out)
}
