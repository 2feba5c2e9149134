package harness

// The files surroundings*.go read what matters on the disk where a command would run, for guards, which read no disk: options
// in the names of files, links, and what git would run and contact.

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rein/guard/effect"
	"rein/internal/plainfile"
	"rein/tool"
)

// surroundingsOf looks at what matters on the disk where a command would run: files that its wildcards would turn into options, and
// programs that a repository's settings name, links. dirs are the directories in which links matter: the workspace and the
// home directory. Nil where there is nothing of the kind, which is nearly always.
func surroundingsOf(r *effect.Report, dirs []string) *tool.Surroundings {
	var a tool.Surroundings
	for _, dir := range r.Wild {
		a.Dashed = append(a.Dashed, dashedIn(dir)...)
	}
	for _, name := range r.Writes { // what the line itself makes
		if len(r.Wild) > 0 && strings.HasPrefix(filepath.Base(name), "-") {
			a.Dashed = append(a.Dashed, name)
		}
	}
	for _, dir := range r.Git {
		repo := readRepository(dir)
		for _, key := range repo.programs() {
			if !slices.Contains(a.Git, key) {
				a.Git = append(a.Git, key)
			}
		}
		if contactsRemotes(r) {
			a.Remotes = append(a.Remotes, repo.remotesIn(r.Commands)...)
			a.Fetches, a.Pushes = repo.here(a.Fetches, ".url"), repo.here(repo.here(a.Pushes, ".url"), ".pushurl")
		}
	}
	a.Links = linksAmong(slices.Concat(r.Reads, r.Writes, r.Removes), dirs)
	if len(a.Dashed)+len(a.Git)+len(a.Remotes)+len(a.Links)+len(a.Fetches)+len(a.Pushes) == 0 {
		return nil
	}
	return &a
}

// contactsRemotes reports whether git, in a command, contacts somebody.
func contactsRemotes(r *effect.Report) bool {
	return slices.ContainsFunc(r.Findings, func(f effect.Finding) bool {
		switch f.Class {
		case effect.Network, effect.Publish, effect.RemoteChange, effect.Upload:
			return f.Program == "git"
		}
		return false
	})
}

// linksAmong finds the paths in these directories that go through a link, and what they lead to.
func linksAmong(names, dirs []string) map[string]string {
	var all map[string]string
	for _, name := range names {
		for _, dir := range dirs {
			rest, err := filepath.Rel(dir, name)
			if dir == "" || err != nil || !filepath.IsLocal(rest) || strings.ContainsAny(name, "…*?[") {
				continue
			}
			base, err := filepath.EvalSymlinks(dir) // a link above the directory is no way out of it
			if err != nil {
				continue
			}
			to := plainfile.WithoutLinks(filepath.Join(base, rest))
			if back, err := filepath.Rel(base, to); err == nil && filepath.IsLocal(back) {
				to = filepath.Join(dir, back)
			}
			if to != filepath.Clean(name) {
				if all == nil {
					all = map[string]string{}
				}
				all[name] = to
			}
			break
		}
	}
	return all
}

// dashedIn returns the files of a directory whose names begin with a dash; none where it cannot be read.
func dashedIn(dir string) []string {
	d, err := os.Open(dir + "/.") // not a pipe in its place: opening that would wait
	if err != nil {
		return nil
	}
	defer d.Close()
	var all []string
	names, _ := d.Readdirnames(-1) // what was read until an error counts
	for _, n := range names {
		if strings.HasPrefix(n, "-") {
			all = append(all, filepath.Join(dir, n))
		}
	}
	return all
}
