package main

import (
	"debug/buildinfo"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// pagePart is the heading of a part of the page in the list of their licences: its name in npm and its version.
var pagePart = regexp.MustCompile(`(?m)^## (\S+) - ([0-9]\S*)`)

// sbom writes what a program is made of, as CycloneDX 1.6: read from the program, which has the modules with their checksums, and, for the page
// that is embedded in it, from the lists of licences that the build of the page writes.
func (r *release) sbom(p program) error {
	info, err := buildinfo.ReadFile(p.File)
	if err != nil {
		return err
	}
	sum, err := sumOf(p.File)
	if err != nil {
		return err
	}
	type property struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	type hash struct {
		Alg     string `json:"alg"`
		Content string `json:"content"`
	}
	type component struct {
		Type       string     `json:"type"`
		Ref        string     `json:"bom-ref"`
		Name       string     `json:"name"`
		Version    string     `json:"version"`
		PURL       string     `json:"purl,omitempty"`
		Hashes     []hash     `json:"hashes,omitempty"`
		Properties []property `json:"properties,omitempty"`
	}
	type dependency struct {
		Ref string   `json:"ref"`
		On  []string `json:"dependsOn"`
	}
	main := component{Type: "application", Ref: "rein", Name: "rein", Version: r.Version, Hashes: []hash{{"SHA-256", sum}},
		Properties: []property{{"system", p.OS + "/" + p.Arch}}}
	all := []component{{Type: "library", Ref: "go", Name: "std", Version: info.GoVersion, PURL: "pkg:golang/std@" + info.GoVersion[len("go"):]}}
	on := []string{"go"}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		ref := "pkg:golang/" + m.Path + "@" + m.Version
		all = append(all, component{Type: "library", Ref: ref, Name: m.Path, Version: m.Version, PURL: ref, Properties: []property{{"go:sum", m.Sum}}})
		on = append(on, ref)
	}
	for _, name := range pageLicenses {
		list, err := os.ReadFile(filepath.Join(r.Source, name))
		if err != nil {
			return err
		}
		for _, m := range pagePart.FindAllStringSubmatch(string(list), -1) {
			ref := "pkg:npm/" + strings.Replace(m[1], "@", "%40", 1) + "@" + m[2]
			all = append(all, component{Type: "library", Ref: ref, Name: m[1], Version: m[2], PURL: ref})
			on = append(on, ref)
		}
	}
	text, err := json.MarshalIndent(map[string]any{
		"$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata":     map[string]any{"timestamp": r.Time.Format(time.RFC3339), "component": main},
		"components":   all,
		"dependencies": []dependency{{"rein", on}},
	}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.Out, r.name(p)+".cdx.json"), append(text, '\n'), 0o644)
}
