package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// released has a version of a program for Linux that only prints, with a page of the manual, and no files yet.
func released(t *testing.T, version string) (*release, program, []file) {
	t.Helper()
	r := &release{Version: version, Out: t.TempDir(), URL: "https://example.org/rein", Home: "https://example.org", Person: "Somebody <somebody@example.org>", Time: time.Unix(1700000000, 0).UTC()}
	p := program{OS: "linux", Arch: runtime.GOARCH, File: filepath.Join(t.TempDir(), "rein")}
	if err := os.WriteFile(p.File, []byte("#!/bin/sh\necho "+version+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	extras := []file{{name: "LICENSE", content: []byte("MIT\n")}, {name: "README.md", content: []byte("# rein\n")}, {name: "docs/zh/faq.md", content: []byte("# Questions\n")}, {name: "CHANGELOG.md", content: []byte("# Changes\n")}, {name: "man/rein.1", content: []byte(".TH REIN 1\n")}}
	for name := range installed {
		if strings.HasPrefix(name, "completions/") {
			extras = append(extras, file{name: name, content: []byte("# " + version + "\n")})
		}
	}
	return r, p, extras
}

func tool(t *testing.T, name string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skip("SKIPPED: " + name + " is not installed")
	}
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// TestDebIsInstalledUpgradedAndRemoved lets dpkg do so in a directory of its own: at the end only what the user made is left.
func TestDebIsInstalledUpgradedAndRemoved(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("SKIPPED: dpkg wants to be root")
	}
	root := t.TempDir()
	for _, dir := range []string{"info", "updates", "triggers"} {
		if err := os.MkdirAll(filepath.Join(root, "var/lib/dpkg", dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	mine := filepath.Join(root, "root/.rein/config/settings.json")
	err := errors.Join(os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644), os.MkdirAll(filepath.Dir(mine), 0o700), os.WriteFile(mine, []byte("{}"), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	dpkg := func(args ...string) string {
		return tool(t, "dpkg", append([]string{"--root=" + root, "--force-script-chrootless", "--log=/dev/null"}, args...)...)
	}
	var left []string
	for _, version := range []string{"v1.0.0", "v1.1.0"} {
		r, p, extras := released(t, version)
		if err := r.packages(p, extras); err != nil {
			t.Fatal(err)
		}
		debs, err := filepath.Glob(filepath.Join(r.Out, "*.deb"))
		if err != nil || len(debs) != 1 {
			t.Fatal(debs, err)
		}
		dpkg("--install", debs[0])
		if out := tool(t, filepath.Join(root, "usr/bin/rein")); out != version+"\n" {
			t.Errorf("%s runs %q", version, out)
		}
		for _, name := range []string{"usr/lib/systemd/user/rein.service", "usr/share/man/man1/rein.1.gz", "usr/share/doc/rein/changelog.gz", "usr/share/doc/rein/copyright", "usr/share/doc/rein/README.md", "usr/share/doc/rein/docs/zh/faq.md", "usr/share/bash-completion/completions/rein", "usr/share/zsh/site-functions/_rein", "usr/share/fish/vendor_completions.d/rein.fish"} {
			if _, err := os.Stat(filepath.Join(root, name)); err != nil {
				t.Error(err)
			}
		}
		if status := dpkg("--status", "rein"); !strings.Contains(status, "install ok installed") || !strings.Contains(status, "Version: "+version[1:]+"\n") {
			t.Error(status)
		}
	}
	dpkg("--purge", "rein")
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.Contains(name, "/var/lib/dpkg/") {
			left = append(left, strings.TrimPrefix(name, root))
		}
		return err
	})
	if err != nil || strings.Join(left, " ") != "/root/.rein/config/settings.json" {
		t.Errorf("left: %q, %v", left, err)
	}
}

// TestRpmAndApkHoldTheSame lists what is in the other packages.
func TestRpmAndApkHoldTheSame(t *testing.T) {
	r, p, extras := released(t, "v1.0.0")
	if err := r.packages(p, extras); err != nil {
		t.Fatal(err)
	}
	all, err := filepath.Glob(filepath.Join(r.Out, "*"))
	if err != nil || len(all) != 3 {
		t.Fatalf("%q %v", all, err)
	}
	for _, name := range all {
		list := ""
		switch filepath.Ext(name) {
		case ".apk":
			list = tool(t, "tar", "-tzf", name)
		case ".rpm":
			list = tool(t, "rpm", "-qpl", "--nosignature", name)
			if host := tool(t, "rpm", "-qp", "--nosignature", "--queryformat=%{BUILDHOST}", name); host != "localhost" {
				t.Errorf("the machine is named: %s", host)
			}
		default:
			continue
		}
		for _, want := range []string{"usr/bin/rein", "usr/lib/systemd/user/rein.service", "usr/share/man/man1/rein.1"} {
			if !strings.Contains(list, want) {
				t.Errorf("%s has no %s:\n%s", filepath.Base(name), want, list)
			}
		}
	}
}

// TestServicesAreRead: systemd finds little that is exposed in the unit, and the agent for launchd is a property list.
func TestServicesAreRead(t *testing.T) {
	if err := xml.Unmarshal(agent, new(struct{})); err != nil || !bytes.Contains(agent, []byte("<key>Label</key><string>org.rein.serve</string>")) {
		t.Errorf("rein.plist: %v", err)
	}
	dir := t.TempDir()
	unitFile := filepath.Join(dir, "rein.service")
	text := strings.Replace(string(unit), "/usr/bin/rein", "/bin/true", 1) // it has to be there
	if err := os.WriteFile(unitFile, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	tool(t, "systemd-analyze", "verify", "--man=no", unitFile)
	out := tool(t, "systemd-analyze", "security", "--offline=yes", "--threshold=100", "--no-pager", unitFile)
	m := regexp.MustCompile(`exposure level for rein.service: ([0-9.]+)`).FindStringSubmatch(out)
	if m == nil {
		t.Fatal(out)
	}
	// Sessions need namespaces and the files of their user, so much of what systemd counts cannot be closed for the server itself.
	if level, err := strconv.ParseFloat(m[1], 64); err != nil || level > mostExposed {
		t.Errorf("exposure %v, at most %v\n%s", level, mostExposed, out)
	}
}

const mostExposed = 8.0

// TestScriptsAreLinted gives the script and the Dockerfiles to their linters.
func TestScriptsAreLinted(t *testing.T) {
	r := &release{Version: "v1.2.3", Out: t.TempDir(), URL: "https://example.org/rein"}
	if err := r.formulas(); err != nil {
		t.Fatal(err)
	}
	t.Run("shellcheck", func(t *testing.T) { tool(t, "shellcheck", filepath.Join(r.Out, "install.sh")) })
	t.Run("hadolint", func(t *testing.T) {
		tool(t, "hadolint", filepath.Join(r.Out, "Dockerfile"), filepath.Join(r.Out, "Dockerfile.tools"))
	})
}

// TestTheImageIsWhole follows each digest of the image, from the index to the files, and lets the tools of others read it.
func TestTheImageIsWhole(t *testing.T) {
	r, p, _ := released(t, "v1.0.0")
	for _, arch := range []string{"arm64", "amd64"} {
		p.Arch = arch
		if err := r.addImage(p, []file{{name: "LICENSE", content: []byte("MIT\n"), mode: 0o644}, {name: licensesName, mode: 0o644}, {name: "README.md"}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.writeImage(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(r.Out, "rein_1.0.0_oci.tar")
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	files := map[string][]byte{}
	for from := tar.NewReader(f); ; {
		h, err := from.Next()
		if err == io.EOF {
			break
		}
		if err == nil {
			files[h.Name], err = io.ReadAll(from)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var read func(text []byte)
	seen := map[string]int{}
	read = func(text []byte) {
		var of struct{ Manifests, Layers []descriptor }
		if err := json.Unmarshal(text, &of); err != nil {
			t.Fatal(err)
		}
		for _, d := range append(of.Manifests, of.Layers...) {
			blob := files["blobs/"+strings.Replace(d.Digest, ":", "/", 1)]
			if digest(blob) != d.Digest || len(blob) != d.Size {
				t.Fatalf("%+v is not what it says", d)
			}
			if d.Platform != nil {
				seen[d.Platform.Arch]++
			}
			if strings.HasSuffix(d.MediaType, "+json") {
				read(blob)
				continue
			}
			if names := namesIn(t, blob); !slices.Contains(names, "usr/share/doc/rein/LICENSE") || !slices.Contains(names, "usr/share/doc/rein/"+licensesName) || !slices.Contains(names, "usr/bin/rein") || slices.Contains(names, "usr/share/doc/rein/README.md") {
				t.Errorf("the layer has %q", names)
			}
		}
	}
	read(files["index.json"])
	if seen["amd64"] != 1 || seen["arm64"] != 1 {
		t.Errorf("%v", seen)
	}
	t.Run("skopeo", func(t *testing.T) {
		out := tool(t, "skopeo", "inspect", "--override-arch=arm64", "--config", "oci-archive:"+name)
		if !strings.Contains(out, `"65532:65532"`) || !strings.Contains(out, "arm64") {
			t.Error(out)
		}
	})
}

// namesIn are the names of the files in a packed archive.
func namesIn(t *testing.T, packed []byte) (names []string) {
	plain, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	for from := tar.NewReader(plain); ; {
		h, err := from.Next()
		if err == io.EOF {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
	}
}
