// Command release makes what is published of a version of rein: programs for each system in archives, packages and an image for Linux, formulas
// for package managers, Dockerfiles, an SBOM, checksums and, where the publisher has a command for it, a signature. The same commit gives the same
// bytes, in every directory and on every day.
//
//	go run -C lab/release . -version v1.2.0 -url https://example.org/rein/releases/v1.2.0
//
// It is a module of its own: rein itself needs nothing of what makes packages.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

// systems are those that a release is made for, as GOOS/GOARCH.
var systems = []string{"linux/amd64", "linux/arm64", "linux/riscv64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64", "freebsd/amd64"}

// release is one release while it is made.
type release struct {
	Version string    // "v1.2.0"
	Source  string    // the checkout
	Out     string    // where the files go
	URL     string    // below which the files will be published
	Home    string    // of the project, for people
	Person  string    // who maintains the packages: "Name <address>"
	Time    time.Time // of the commit: files in archives have it
	Sign    string    // a command that gets the name of the file with the checksums; "": nothing is signed
	Symbols bool      // programs with symbols for debuggers too
	Systems []string

	image *image // of the programs for Linux, until it is written
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r, list := release{}, ""
	flag.StringVar(&r.Version, "version", "", "the version: v1.2.0")
	flag.StringVar(&r.Source, "source", "../..", "the checkout of rein")
	flag.StringVar(&r.Out, "out", "dist", "the directory for the files; it is emptied")
	flag.StringVar(&r.URL, "url", "", "the address below which the files will be published")
	flag.StringVar(&r.Home, "home", "", "the page of the project; default: -url")
	flag.StringVar(&r.Person, "person", "The rein maintainers <maintainers@localhost>", "who maintains the packages, as \"Name <address>\"")
	flag.StringVar(&r.Sign, "sign", "", "a command that signs the file whose name it gets, such as \"minisign -Sm\"")
	flag.BoolVar(&r.Symbols, "symbols", false, "also programs with symbols for debuggers")
	flag.StringVar(&list, "systems", strings.Join(systems, ","), "the systems, as GOOS/GOARCH between commas")
	flag.Parse()
	r.Systems = strings.Split(list, ",")
	if err := r.make(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

var versions = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$`)

// make makes all files.
func (r *release) make(ctx context.Context) (err error) {
	switch {
	case !versions.MatchString(r.Version):
		return fmt.Errorf("-version %q: expected a version such as v1.2.0", r.Version)
	case r.URL == "":
		return errors.New("-url is missing: the formulas of package managers name it")
	}
	if r.Home == "" {
		r.Home = r.URL
	}
	for _, dir := range []*string{&r.Source, &r.Out} {
		if *dir, err = filepath.Abs(*dir); err != nil {
			return err
		}
	}
	if r.Time, err = commitTime(ctx, r.Source); err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(r.Out), os.MkdirAll(r.Out, 0o755)); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "rein-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	source := filepath.Join(work, "source") // the commit and nothing else: a file beside it, or a change while this runs, is not released
	if _, err := output(ctx, work, "git", "clone", "-q", "--shared", r.Source, source); err != nil {
		return err
	}
	r.Source = source
	extras, err := r.extras(ctx, work)
	if err != nil {
		return err
	}
	for _, system := range r.Systems {
		fmt.Println(system)
		p, err := r.build(ctx, work, system)
		if err == nil {
			err = r.publish(ctx, p, extras)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", system, err)
		}
	}
	if err := errors.Join(r.writeImage(), r.formulas(), r.sums()); err != nil {
		return err
	}
	return r.sign(ctx)
}

// publish writes the files of one program.
func (r *release) publish(ctx context.Context, p program, extras []file) error {
	licenses, err := r.licenses(ctx, p)
	if err != nil {
		return err
	}
	own := append(slices.Clone(extras), licenses)
	return errors.Join(r.archive(p, own), r.packages(p, own), r.addImage(p, own), r.sbom(p))
}

// commitTime is when the commit was made whose files are released. A checkout with changes is refused: nobody could make the same again.
func commitTime(ctx context.Context, dir string) (time.Time, error) {
	changed, err := output(ctx, dir, "git", "status", "--porcelain", "--untracked-files=no")
	if err != nil {
		return time.Time{}, err
	}
	if changed != "" {
		return time.Time{}, fmt.Errorf("%s has changes that are not committed", dir)
	}
	text, err := output(ctx, dir, "git", "log", "-1", "--format=%cI")
	if err != nil {
		return time.Time{}, err
	}
	at, err := time.Parse(time.RFC3339, text)
	return at.UTC(), err
}

// program is rein for one system.
type program struct {
	OS, Arch string
	File     string
}

// build builds rein for a system. Nothing of this machine is in it: no path, no date, no build id.
func (r *release) build(ctx context.Context, work, system string) (p program, err error) {
	var ok bool
	if p.OS, p.Arch, ok = strings.Cut(system, "/"); !ok {
		return p, errors.New("expected GOOS/GOARCH")
	}
	name := "rein"
	if p.OS == "windows" {
		name = "rein.exe"
	}
	p.File = filepath.Join(work, p.OS+"-"+p.Arch, name)
	if err := r.compile(ctx, p, p.File, "-s -w"); err != nil || !r.Symbols {
		return p, err
	}
	return p, r.compile(ctx, p, filepath.Join(r.Out, r.name(p)+".symbols"), "")
}

func (r *release) compile(ctx context.Context, p program, to, flags string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-o", to,
		"-ldflags", strings.TrimSpace(flags+" -buildid= -X main.version="+strings.TrimPrefix(r.Version, "v")), "./cmd/rein")
	cmd.Dir, cmd.Stdout, cmd.Stderr = r.Source, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOOS="+p.OS, "GOARCH="+p.Arch)
	return cmd.Run()
}

// name is the name of the files for a system, without an ending.
func (r *release) name(p program) string {
	return "rein_" + strings.TrimPrefix(r.Version, "v") + "_" + p.OS + "_" + p.Arch
}

// extras are the documents, and the completions and pages of the manual that rein, built for this machine, writes. They are the same for
// each system.
func (r *release) extras(ctx context.Context, work string) ([]file, error) {
	plain := *r
	plain.Symbols = false // this program is not released
	here, err := plain.build(ctx, filepath.Join(work, "here"), runtime.GOOS+"/"+runtime.GOARCH)
	if err != nil {
		return nil, err
	}
	var all []file
	for shell, name := range map[string]string{"bash": "completions/rein.bash", "zsh": "completions/_rein", "fish": "completions/rein.fish", "powershell": "completions/rein.ps1"} {
		text, err := r.says(ctx, here.File, "completion", shell)
		if err != nil {
			return nil, err
		}
		all = append(all, file{name: name, content: []byte(text + "\n"), mode: 0o644})
	}
	pages, err := r.manual(ctx, here.File)
	if err != nil {
		return nil, err
	}
	documents, err := r.documents()
	return append(append(all, pages...), documents...), err
}

// documents are the pages for readers, which name each other.
func (r *release) documents() (all []file, err error) {
	source := os.DirFS(r.Source)
	for _, name := range []string{"CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md", "README.zh.md", "docs"} {
		err = errors.Join(err, fs.WalkDir(source, name, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := fs.ReadFile(source, name)
			all = append(all, file{name: name, content: text, mode: 0o644})
			return err
		}))
	}
	return all, err
}

// output runs a program and returns what it printed, without white space around it.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%s %s: %w: %s", filepath.Base(name), strings.Join(args, " "), err, failed.Stderr)
	}
	return strings.TrimSpace(string(out)), err
}
