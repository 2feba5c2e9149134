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
		layer, ok := layerOf(from)
		if !ok {
			t.Errorf("package %q has no layer: list it in internal/house/house.go", from)
			continue
		}
		for _, imported := range p.Imports {
			to, ours := strings.CutPrefix(imported, module+"/")
			if !ours {
				continue
			}
			below, ok := layerOf(to)
			if ok && below >= layer {
				t.Errorf("%s (layer %d) imports %s (layer %d): imports only go down", from, layer, to, below)
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

// layerOf finds the layer of a package: its own line, else the nearest directory above it that ends in "/...".
func layerOf(name string) (int, bool) {
	if layer, ok := Layers[name]; ok {
		return layer, true
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if layer, ok := Layers[dir+"/..."]; ok {
			return layer, true
		}
	}
	return 0, false
}
