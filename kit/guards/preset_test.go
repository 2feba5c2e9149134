package guards

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var plainHost = regexp.MustCompile(`^([a-z0-9-]+\.)+[a-z]{2,}$`)

func TestTheFileIsWellFormed(t *testing.T) {
	all, err := parsePresets(presetText)
	if err != nil {
		t.Fatal(err)
	}
	programs := map[string]string{}
	for _, p := range all {
		for _, h := range p.Hosts {
			if !plainHost.MatchString(h) {
				t.Errorf("%s: %q is not a host name", p.Name, h)
			}
		}
		for _, name := range p.Programs {
			if other := programs[name]; other != "" {
				t.Errorf("%s: the program %s belongs to %s already", p.Name, name, other)
			}
			programs[name] = p.Name
		}
	}
	for _, want := range []string{"npm", "pypi", "crates", "go", "debian", "rubygems", "maven", "github", "gitlab", "bitbucket", "codeberg"} {
		if _, ok := FindPreset(want); !ok {
			t.Errorf("there is no preset %s", want)
		}
	}
}

func TestMalformedRowsAreErrors(t *testing.T) {
	for rule, text := range map[string]string{
		"too few fields":  "npm\tpackages\n",
		"too many fields": "npm\tpackages\ta.test\tnpm\tmore\n",
		"no hosts":        "npm\tpackages\t\tnpm\n",
		"a name twice":    "npm\tx\ta.test\t\nnpm\ty\tb.test\t\n",
	} {
		if _, err := parsePresets(text); err == nil || !strings.HasPrefix(err.Error(), "presets.tsv:") {
			t.Errorf("%s: %v", rule, err)
		}
	}
}

func TestExpand(t *testing.T) {
	got, err := ExpandPresets([]string{"example.com", "preset:go", "proxy.golang.org"})
	if want := []string{"example.com", "proxy.golang.org", "sum.golang.org", "proxy.golang.org"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := ExpandPresets([]string{"preset:nmp"}); err == nil || !strings.Contains(err.Error(), "npm, ") {
		t.Errorf("an unknown preset: %v", err)
	}
}

func TestOf(t *testing.T) {
	for program, want := range map[string]string{"npm": "npm", "/usr/bin/pip3": "pypi", "cargo": "crates", "ls": ""} {
		if p, _ := PresetOf(program); p.Name != want {
			t.Errorf("%s: %q", program, p.Name)
		}
	}
}

func ExampleExpandPresets() {
	hosts, err := ExpandPresets([]string{"preset:pypi", "example.com"})
	fmt.Println(hosts, err)
	// Output: [pypi.org files.pythonhosted.org example.com] <nil>
}
