package guards

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"rein/guard"
)

// Preset is a list of hosts with a name: those of package registries and of git hosts, so that settings can say "preset:npm",
// and an approval request can name the hosts that an installer contacts.
type Preset struct {
	Name     string
	About    string   // what it is, in a few words
	Hosts    []string // host rules: names, each at the ports 80 and 443
	Programs []string // programs that contact these hosts
}

//go:embed presets.tsv
var presetText string

var presetTable = sync.OnceValues(func() ([]Preset, error) { return parsePresets(presetText) })

// Presets returns every preset, in the order of the file.
func Presets() []Preset {
	all, err := presetTable()
	if err != nil {
		panic(err) // a test reads the same file
	}
	return slices.Clone(all)
}

// FindPreset returns the preset of a name.
func FindPreset(name string) (Preset, bool) {
	for _, p := range Presets() {
		if p.Name == name {
			return p, true
		}
	}
	return Preset{}, false
}

// PresetOf returns the preset whose hosts a program contacts; program is a name or a path.
func PresetOf(program string) (Preset, bool) {
	program = program[strings.LastIndexByte(program, '/')+1:]
	for _, p := range Presets() {
		if slices.Contains(p.Programs, program) {
			return p, true
		}
	}
	return Preset{}, false
}

// ExpandPresets replaces the entries of a list of hosts that name a preset by the hosts of the preset. Other entries stay. An
// unknown preset is an error that names those that there are.
func ExpandPresets(hosts []string) ([]string, error) {
	var out []string
	for _, h := range hosts {
		name, isPreset := strings.CutPrefix(h, guard.PresetPrefix)
		if !isPreset {
			out = append(out, h)
			continue
		}
		p, ok := FindPreset(name)
		if !ok {
			return nil, fmt.Errorf("there is no preset %q (presets: %s)", name, strings.Join(presetNames(), ", "))
		}
		for _, host := range p.Hosts {
			if !slices.Contains(out, host) {
				out = append(out, host)
			}
		}
	}
	return out, nil
}

func presetNames() []string {
	var out []string
	for _, p := range Presets() {
		out = append(out, p.Name)
	}
	return out
}

// parsePresets reads the file: four fields a line, separated by tabs.
func parsePresets(text string) ([]Preset, error) {
	var all []Preset
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 4 || f[0] == "" || f[1] == "" || f[2] == "" {
			return nil, fmt.Errorf("presets.tsv:%d: expected name, what it is, hosts, programs, separated by tabs", n)
		}
		p := Preset{Name: f[0], About: f[1], Hosts: strings.Fields(f[2]), Programs: strings.Fields(f[3])}
		if slices.ContainsFunc(all, func(o Preset) bool { return o.Name == p.Name }) {
			return nil, fmt.Errorf("presets.tsv:%d: the preset %q is there twice", n, p.Name)
		}
		all = append(all, p)
	}
	return all, nil
}
