package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestTheSameTwice makes a release for one system from two clones in different directories, the second as another person elsewhere would: with an
// empty cache of the compiler, another language and another time zone. All files have equal bytes, and hold what a user of that system needs.
func TestTheSameTwice(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program twice")
	}
	system := runtime.GOOS + "/" + runtime.GOARCH
	made := func(dir string) *release {
		source := filepath.Join(t.TempDir(), dir)
		if out, err := exec.CommandContext(t.Context(), "git", "clone", "-q", "../..", source).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		r := &release{Version: "v1.2.3-test.1", Source: source, Out: filepath.Join(t.TempDir(), "out"), URL: "https://example.org/rein", Person: "Somebody <somebody@example.org>", Systems: []string{system}}
		r.Sign = "gzip -kn" // stands for a signature: it makes SHA256SUMS.gz
		if err := r.make(t.Context()); err != nil {
			t.Fatal(err)
		}
		return r
	}
	one := made("a")
	t.Setenv("GOCACHE", t.TempDir()) // else the second would get what the first compiled
	t.Setenv("LC_ALL", "zh_CN.UTF-8")
	t.Setenv("TZ", "Asia/Tokyo")
	two := made("elsewhere/b")
	names := filesIn(t, one.Out)
	if other := filesIn(t, two.Out); !slices.Equal(names, other) {
		t.Fatalf("%q and %q", names, other)
	}
	for _, name := range names {
		a, _ := sumOf(filepath.Join(one.Out, name))
		b, _ := sumOf(filepath.Join(two.Out, name))
		if a != b {
			t.Errorf("%s differs", name)
		}
	}
	name := one.name(program{OS: runtime.GOOS, Arch: runtime.GOARCH})
	for _, want := range []string{name + ".tar.gz", name + ".cdx.json", sumsName, sumsName + ".gz"} {
		if !slices.Contains(names, want) {
			t.Errorf("there is no %s among %q", want, names)
		}
	}
	packed := unpack(t, filepath.Join(one.Out, name+".tar.gz"))
	for _, want := range []string{"rein", "CHANGELOG.md", "LICENSE", "README.md", licensesName, "completions/rein.bash", "completions/_rein", "completions/rein.fish", "completions/rein.ps1", "man/rein.1", "man/rein-run.1", "man/rein-sessions-show.1"} {
		if len(packed[name+"/"+want]) == 0 {
			t.Errorf("the archive has no %s", want)
		}
	}
	for _, link := range regexp.MustCompile(`\]\(([^):#]+)[)#]`).FindAllSubmatch(packed[name+"/README.md"], -1) {
		if len(packed[name+"/"+string(link[1])]) == 0 {
			t.Errorf("the README names %s, which is not in the archive", link[1])
		}
	}
	binary := filepath.Join(t.TempDir(), "rein")
	if err := os.WriteFile(binary, packed[name+"/rein"], 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), binary, "version").CombinedOutput(); err != nil || !strings.Contains(string(out), "1.2.3-test.1") {
		t.Errorf("%v: %s", err, out)
	}
	if check, err := exec.LookPath("sha256sum"); err == nil {
		cmd := exec.CommandContext(t.Context(), check, "-c", sumsName)
		cmd.Dir = one.Out
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}
	var bom struct {
		Components []struct{ Name, Version, PURL string }
	}
	text, err := os.ReadFile(filepath.Join(one.Out, name+".cdx.json"))
	if err := errors.Join(err, json.Unmarshal(text, &bom)); err != nil || len(bom.Components) < 20 {
		t.Errorf("%v, %d components", err, len(bom.Components))
	}
	if !slices.ContainsFunc(bom.Components, func(c struct{ Name, Version, PURL string }) bool { return c.PURL == "pkg:npm/react@"+c.Version }) {
		t.Error("the parts of the page are not named")
	}
	for _, c := range bom.Components {
		if c.Name == "" || c.Version == "" || c.PURL == "" {
			t.Errorf("%+v", c)
		}
	}
	if page := string(packed[name+"/man/rein-run.1"]); !strings.HasPrefix(page, ".TH \"REIN-RUN\" 1 ") || !strings.Contains(page, "\nrein\\-run \\- Do one task and print the answer\n") {
		t.Errorf("%.100q", page)
	}
}

// TestAProgramKeepsNoDirectory compiles a small program as a release is compiled, in two directories and with two caches.
func TestAProgramKeepsNoDirectory(t *testing.T) {
	made := func(dir string) string {
		r := &release{Version: "v1.2.3", Source: filepath.Join(t.TempDir(), dir)}
		to := filepath.Join(t.TempDir(), "rein")
		err := errors.Join(os.MkdirAll(filepath.Join(r.Source, "cmd/rein"), 0o755), os.WriteFile(filepath.Join(r.Source, "go.mod"), []byte("module rein\n"), 0o644),
			os.WriteFile(filepath.Join(r.Source, "cmd/rein/main.go"), []byte("package main\n\nvar version string\n\nfunc main() { panic(version) }\n"), 0o644))
		if err == nil {
			err = r.compile(t.Context(), program{OS: "linux", Arch: "amd64"}, to, "-s -w")
		}
		text, read := os.ReadFile(to)
		if err := errors.Join(err, read); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), r.Source) || !strings.Contains(string(text), "1.2.3") {
			t.Errorf("the program names %s, or not its version", r.Source)
		}
		return string(text)
	}
	one := made("a")
	t.Setenv("GOCACHE", t.TempDir())
	if made("elsewhere/b") != one {
		t.Error("the programs differ")
	}
}

// TestWrongReleases: what would make a release that nobody can use ends with a reason.
func TestWrongReleases(t *testing.T) {
	for _, row := range []struct {
		r    release
		want string
	}{
		{release{Version: "1.2", URL: "https://x"}, "expected a version such as v1.2.0"},
		{release{Version: "v1.2.0"}, "-url is missing"},
	} {
		if err := row.r.make(t.Context()); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%v, want %s", err, row.want)
		}
	}
}

// TestFormulas fills the formulas with what is released; one whose systems are not all there is left out.
func TestFormulas(t *testing.T) {
	for _, row := range []struct {
		systems []string
		want    []string
	}{
		{systems, []string{"Dockerfile", "Dockerfile.tools", "install.sh", "rein.json", "rein.rb", "rein.rein.installer.yaml", "rein.rein.locale.en-US.yaml", "rein.rein.yaml"}},
		{[]string{"windows/amd64", "windows/arm64"}, []string{"Dockerfile", "Dockerfile.tools", "install.sh", "rein.json", "rein.rein.installer.yaml", "rein.rein.locale.en-US.yaml", "rein.rein.yaml"}},
		{[]string{"linux/amd64"}, []string{"Dockerfile", "Dockerfile.tools", "install.sh"}},
	} {
		r := &release{Version: "v1.2.3", Out: t.TempDir(), URL: "https://example.org/rein", Home: "https://example.org", Systems: row.systems}
		for _, system := range row.systems {
			goos, arch, _ := strings.Cut(system, "/")
			ending := map[bool]string{true: ".zip", false: ".tar.gz"}[goos == "windows"]
			if err := os.WriteFile(filepath.Join(r.Out, r.name(program{OS: goos, Arch: arch})+ending), []byte(system), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.formulas(); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, name := range filesIn(t, r.Out) {
			if !strings.HasPrefix(name, "rein_") {
				got = append(got, name)
				text, err := os.ReadFile(filepath.Join(r.Out, name))
				if err != nil || !strings.Contains(string(text), "1.2.3") || strings.Contains(string(text), "{{") {
					t.Errorf("%s: %v\n%s", name, err, text)
				}
			}
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%v: %q, want %q", row.systems, got, row.want)
		}
	}
}

// TestFormulasNameTheArchives reads the formulas as package managers do: each names archives of the release with their checksums, and files that are
// in them.
func TestFormulasNameTheArchives(t *testing.T) {
	r := &release{Version: "v1.2.3", Out: t.TempDir(), URL: "https://example.org/rein", Home: "https://example.org", Systems: systems}
	extras := []file{{name: "man/rein.1"}, {name: "completions/rein.bash"}, {name: "completions/_rein"}, {name: "completions/rein.fish"}, {name: licensesName}}
	for _, system := range systems {
		p := program{File: filepath.Join(t.TempDir(), "rein")}
		p.OS, p.Arch, _ = strings.Cut(system, "/")
		if p.OS == "windows" {
			p.File += ".exe"
		}
		if err := errors.Join(os.WriteFile(p.File, []byte(system), 0o755), r.archive(p, extras)); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.formulas(); err != nil {
		t.Fatal(err)
	}
	read := func(name string, to any, decode func([]byte, any) error) string {
		text, err := os.ReadFile(filepath.Join(r.Out, name))
		if to != nil {
			err = errors.Join(err, decode(text, to))
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return string(text)
	}
	named := func(system, address, sum string) string { // the archive
		goos, arch, _ := strings.Cut(system, "/")
		name := r.name(program{OS: goos, Arch: arch}) + map[bool]string{true: ".zip", false: ".tar.gz"}[goos == "windows"]
		if want, err := sumOf(filepath.Join(r.Out, name)); err != nil || address != r.URL+"/"+name || !strings.EqualFold(sum, want) {
			t.Errorf("%s: %s has %s, want %s: %v", system, address, sum, want, err)
		}
		return filepath.Join(r.Out, name)
	}

	formula := read("rein.rb", nil, nil)
	found := regexp.MustCompile(`url "([^"]+_(darwin|linux)_([a-z0-9]+)\.tar\.gz)"\s+sha256 "([0-9a-f]{64})"`).FindAllStringSubmatch(formula, -1)
	if len(found) != 4 {
		t.Errorf("rein.rb names %d archives", len(found))
	}
	for _, of := range found {
		packed := unpack(t, named(of[2]+"/"+of[3], of[1], of[4]))
		for _, want := range regexp.MustCompile(`install (?:Dir\[)?"([^"]+)"`).FindAllStringSubmatch(formula, -1) {
			name := r.name(program{OS: of[2], Arch: of[3]}) + "/" + strings.Replace(want[1], "*", "rein", 1)
			if _, ok := packed[name]; !ok {
				t.Errorf("rein.rb installs %s, which is not in the archive", name)
			}
		}
	}
	t.Run("ruby", func(t *testing.T) { tool(t, "ruby", "-c", filepath.Join(r.Out, "rein.rb")) })

	var scoop struct {
		Bin          string
		Architecture map[string]struct {
			URL, Hash string
			Dir       string `json:"extract_dir"`
		}
	}
	read("rein.json", &scoop, json.Unmarshal)
	var winget struct {
		Installers []struct {
			Architecture string `yaml:"Architecture"`
			URL          string `yaml:"InstallerUrl"`
			Sum          string `yaml:"InstallerSha256"`
			Files        []struct {
				RelativeFilePath string `yaml:"RelativeFilePath"`
			} `yaml:"NestedInstallerFiles"`
		} `yaml:"Installers"`
	}
	read("rein.rein.installer.yaml", &winget, yaml.Unmarshal)
	if len(scoop.Architecture) != 2 || len(winget.Installers) != 2 {
		t.Fatalf("%+v %+v", scoop, winget)
	}
	has := func(archive, name string) {
		z, err := zip.OpenReader(archive)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		if !slices.ContainsFunc(z.File, func(f *zip.File) bool { return f.Name == name }) {
			t.Errorf("%s has no %s", archive, name)
		}
	}
	for name, of := range scoop.Architecture {
		system := map[string]string{"64bit": "windows/amd64", "arm64": "windows/arm64"}[name]
		has(named(system, of.URL, of.Hash), of.Dir+"/"+scoop.Bin)
	}
	for _, of := range winget.Installers {
		system := map[string]string{"x64": "windows/amd64", "arm64": "windows/arm64"}[of.Architecture]
		has(named(system, of.URL, of.Sum), strings.ReplaceAll(of.Files[0].RelativeFilePath, `\`, "/"))
	}
}

// TestInstall runs install.sh against a directory that holds what was published: it installs, and refuses an archive that was changed.
func TestInstall(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil || runtime.GOOS != "linux" {
		t.Skip("SKIPPED: install.sh is tried on Linux with curl")
	}
	r := &release{Version: "v1.2.3", Out: t.TempDir(), Systems: []string{"linux/" + runtime.GOARCH}}
	r.URL = "file://" + r.Out
	p := program{OS: "linux", Arch: runtime.GOARCH, File: filepath.Join(t.TempDir(), "rein")}
	if err := os.WriteFile(p.File, []byte("#!/bin/sh\necho it works\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.archive(p, nil), r.formulas(), r.sums()); err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	install := func() (string, error) {
		cmd := exec.CommandContext(t.Context(), "sh", filepath.Join(r.Out, "install.sh"))
		cmd.Env = append(os.Environ(), "REIN_INSTALL_DIR="+to)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := install(); err != nil || !strings.Contains(out, "rein 1.2.3 is in "+to) {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := exec.CommandContext(t.Context(), filepath.Join(to, "rein")).CombinedOutput(); err != nil || string(out) != "it works\n" {
		t.Errorf("%v: %s", err, out)
	}
	if err := os.WriteFile(p.File, []byte("#!/bin/sh\necho evil\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := r.archive(p, nil); err != nil { // the checksums are those of before
		t.Fatal(err)
	}
	if out, err := install(); err == nil || !strings.Contains(out, "not what was published") {
		t.Errorf("%v: %s", err, out)
	}
}

func filesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func unpack(t *testing.T, name string) map[string][]byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	packed, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for from := tar.NewReader(packed); ; {
		h, err := from.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if all[h.Name], err = io.ReadAll(from); err != nil {
			t.Fatal(err)
		}
	}
}
