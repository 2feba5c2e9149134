package main

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/apk" // the kinds of packages
	_ "github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

// unit is a service of systemd for one user: the server with its page.
//
//go:embed templates/rein.service
var unit []byte

// agent is the same for launchd of macOS.
//
//go:embed templates/rein.plist
var agent []byte

// installed are where the files of an archive go in a package.
var installed = map[string]string{
	"LICENSE":               "/usr/share/doc/rein/copyright",
	"CHANGELOG.md":          "/usr/share/doc/rein/changelog.gz",
	licensesName:            "/usr/share/doc/rein/" + licensesName,
	"completions/rein.bash": "/usr/share/bash-completion/completions/rein",
	"completions/_rein":     "/usr/share/zsh/site-functions/_rein",
	"completions/rein.fish": "/usr/share/fish/vendor_completions.d/rein.fish",
}

// summary and description are about rein, the second in lines of at most 79 bytes.
const (
	summary     = "harness between a language model and the world"
	description = `A model asks for a tool call; rein checks it, asks the human only where it
should, runs it in a sandbox, limits and records the result. Command line,
terminal, server with a page, MCP and ACP.`
)

// packages writes .deb, .rpm and .apk for a Linux. They install files and nothing else: no user, no service that runs by itself.
func (r *release) packages(p program, extras []file) error {
	if p.OS != "linux" {
		return nil
	}
	work, err := os.MkdirTemp("", "rein-package-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	contents := files.Contents{{Source: p.File, Destination: "/usr/bin/rein", FileInfo: &files.ContentFileInfo{Mode: 0o755, MTime: r.Time}}}
	for _, f := range append([]file{{name: "rein.service", content: unit}}, extras...) {
		to := installed[f.name]
		switch {
		case f.name == "rein.service":
			to = "/usr/lib/systemd/user/rein.service"
		case strings.HasSuffix(f.name, ".md") && to == "" || strings.HasPrefix(f.name, "docs/"):
			to = "/usr/share/doc/rein/" + f.name
		case strings.HasPrefix(f.name, "man/"):
			to = "/usr/share/man/man1/" + filepath.Base(f.name) + ".gz"
		case to == "": // it is for other systems
			continue
		}
		from := filepath.Join(work, strings.ReplaceAll(f.name, "/", "_"))
		content := f.content
		if strings.HasSuffix(to, ".gz") {
			content = packed(content)
		}
		if err := os.WriteFile(from, content, 0o644); err != nil {
			return err
		}
		contents = append(contents, &files.Content{Source: from, Destination: to, FileInfo: &files.ContentFileInfo{Mode: 0o644, MTime: r.Time}})
	}
	info := &nfpm.Info{
		Name: "rein", Arch: p.Arch, Platform: "linux", Version: strings.TrimPrefix(r.Version, "v"), MTime: r.Time, Maintainer: r.Person, Homepage: r.Home, License: "MIT", Section: "devel", Priority: "optional",
		Overridables: nfpm.Overridables{Contents: contents, Recommends: []string{"git"}, RPM: nfpm.RPM{BuildHost: "localhost"}}, // not the name of this machine
	}
	var faults []error
	for _, kind := range []string{"deb", "rpm", "apk"} {
		if err := r.pack(kind, info); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", kind, err))
		}
	}
	return errors.Join(faults...)
}

// packed is a text by gzip, without a name and a time.
func packed(text []byte) []byte {
	var b bytes.Buffer
	to, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = to.Write(text)
		err = errors.Join(err, to.Close())
	}
	if err != nil {
		panic(err) // the level is right, and memory does not fail
	}
	return b.Bytes()
}

func (r *release) pack(kind string, info *nfpm.Info) error {
	packager, err := nfpm.Get(kind)
	if err != nil {
		return err
	}
	own := *info
	switch kind {
	case "deb":
		own.Description = summary + "\n " + strings.ReplaceAll(description, "\n", "\n ")
	case "rpm":
		own.RPM.Summary, own.Description = summary, description
	case "apk": // which knows one line
		own.Description = summary
	}
	if err := nfpm.PrepareForPackager(&own, kind); err != nil {
		return err
	}
	out, err := os.Create(filepath.Join(r.Out, packager.ConventionalFileName(&own)))
	if err != nil {
		return err
	}
	return errors.Join(packager.Package(&own, out), out.Close())
}
