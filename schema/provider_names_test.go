package schema

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNames(t *testing.T) {
	p, _ := ProfileOf("openai")
	long := strings.Repeat("x", 80)
	n := p.Names([]string{"read_file", "math.factorial", "a.b", "a_b", "a:b", "über", "1st", long, long + "y", ""})
	for _, row := range []struct{ rule, name, want string }{
		{"a good name stays", "read_file", "read_file"},
		{"a dot becomes an underscore", "math.factorial", "math_factorial"},
		{"a good name keeps its own", "a_b", "a_b"},
		{"a letter that is not ASCII", "über", "_ber"},
		{"a digit may come first here", "1st", "1st"},
	} {
		if got := n.Sent(row.name); got != row.want {
			t.Errorf("%s: %q, want %q", row.rule, got, row.want)
		}
	}
	if n.Sent("a.b") == n.Sent("a:b") || n.Sent(long) == n.Sent(long+"y") {
		t.Error("two tools have one name")
	}
	if _, ok := n.Original("a__b"); ok {
		t.Error("a name that was never sent has no original")
	}
}

func TestNamesAreReversibleForEveryProvider(t *testing.T) {
	signs := rapid.SampledFrom([]string{"a", "B", "_", "-", ".", ":", "/", "1", "ü", " ", "a_b", strings.Repeat("z", 30)})
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOf(rapid.Map(rapid.SliceOfN(signs, 0, 5), func(s []string) string { return strings.Join(s, "") })).Draw(t, "names")
		for _, provider := range ProfileNames() {
			p, _ := ProfileOf(provider)
			n := p.Names(names)
			for _, name := range names {
				sent := n.Sent(name)
				if back, ok := n.Original(sent); !ok || back != name || !p.tool.fits(sent) {
					t.Fatalf("%s: %q sent as %q means %q", provider, name, sent, back)
				}
			}
		}
	})
}

func TestCallIDs(t *testing.T) {
	mistral, _ := ProfileOf("mistral")
	openai, _ := ProfileOf("openai")
	if id := mistral.CallID("a1B2c3D4e"); id != "a1B2c3D4e" {
		t.Errorf("a good id became %q", id)
	}
	if id := mistral.CallID("call_abc"); !regexp.MustCompile(`^[A-Za-z0-9]{9}$`).MatchString(id) || id != mistral.CallID("call_abc") || id == mistral.CallID("call_abd") {
		t.Errorf("made id %q", id)
	}
	if id := openai.CallID("functions.read:0"); !openai.id.fits(id) {
		t.Errorf("made id %q", id)
	}
}
