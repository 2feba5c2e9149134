package house

import (
	"encoding/json"
	"os/exec"
	"path"
	"strings"
	"testing"
)

const module = "rein"

type listed struct {
	ImportPath string
	Imports    []string
}

func TestImportsGoDown(t *testing.T) {
	for _, p := range packages(t) {
		from := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		floor, ok := floorOf(from)
		if !ok {
			t.Errorf("package %q has no floor: list it in internal/house/house.go", from)
			continue
		}
		for _, imported := range p.Imports {
			to, ours := strings.CutPrefix(imported, module+"/")
			if !ours {
				continue
			}
			below, ok := floorOf(to)
			if ok && below >= floor {
				t.Errorf("%s (floor %d) imports %s (floor %d): imports only go down", from, floor, to, below)
			}
		}
	}
}

func packages(t *testing.T) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", module+"/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p listed
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// floorOf finds the floor of a package: its own line, else the nearest directory above it that ends in "/...".
func floorOf(name string) (int, bool) {
	if floor, ok := Floors[name]; ok {
		return floor, true
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if floor, ok := Floors[dir+"/..."]; ok {
			return floor, true
		}
	}
	return 0, false
}
