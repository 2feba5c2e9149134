package extend

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestASkillIsAddedChangedAndRemoved(t *testing.T) {
	dir := t.TempDir()
	s := SkillStore{Dir: filepath.Join(dir, "skills"), Pins: filepath.Join(dir, "skills.json")}
	files := []ScannedFile{{Path: "SKILL.md", Text: []byte(plain)}, {Path: "scripts/a.sh", Text: []byte("#!/bin/sh\n")}}
	first, err := s.Add(SkillPackage{"plain", files}, "/src", time.Unix(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(first.Dir, "scripts/a.sh")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the script: %v, %v", info, err)
	}
	if pins, err := s.Load(); err != nil || pins["plain"].Tree != first.Tree() || pins["plain"].Source != "/src" {
		t.Errorf("pins %v, %v", pins, err)
	}
	changed := []ScannedFile{{Path: "SKILL.md", Text: []byte(plain + "more")}, {Path: "new.md", Text: []byte("x")}}
	if got := s.Changes(SkillPackage{"plain", changed}); len(got) != 3 || got[0] != (SkillChange{"SKILL.md", "changed"}) || got[1] != (SkillChange{"new.md", "new"}) || got[2] != (SkillChange{"scripts/a.sh", "removed"}) {
		t.Errorf("changes %v", got)
	}
	second, err := s.Add(SkillPackage{"plain", changed}, "/src", time.Unix(2, 0))
	if err != nil || second.Tree() == first.Tree() || exists(filepath.Join(second.Dir, "scripts")) {
		t.Errorf("the second version: %v", err)
	}
	for _, bad := range []struct {
		name  string
		files []ScannedFile
	}{{"../x", files}, {"a/b", files}, {"nohead", []ScannedFile{{Path: "SKILL.md", Text: []byte("x")}}}, {"out", append([]ScannedFile{{Path: "../x", Text: nil}}, files...)}} {
		if _, err := s.Add(SkillPackage{bad.name, bad.files}, "", time.Now()); err == nil {
			t.Errorf("%s was added", bad.name)
		}
	}
	if entries, _ := os.ReadDir(s.Dir); len(entries) != 1 {
		t.Errorf("left over: %v", entries)
	}
	if err := s.Remove("../skills"); err == nil {
		t.Error("removed something else")
	}
	if err := s.Remove("plain"); err != nil || exists(second.Dir) {
		t.Errorf("not removed: %v", err)
	}
}

// packed makes archives of some files.
func packed(t *testing.T, files ...[2]string) map[string][]byte {
	t.Helper()
	var z, g bytes.Buffer
	zw, gw := zip.NewWriter(&z), gzip.NewWriter(&g)
	tw := tar.NewWriter(gw)
	for _, f := range files {
		w, err := zw.Create(f[0])
		if err == nil {
			_, err = w.Write([]byte(f[1]))
		}
		if err == nil {
			err = tw.WriteHeader(&tar.Header{Name: f[0], Mode: 0o644, Size: int64(len(f[1]))})
		}
		if err == nil {
			_, err = tw.Write([]byte(f[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []interface{ Close() error }{zw, tw, gw} {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return map[string][]byte{"zip": z.Bytes(), "tar.gz": g.Bytes()}
}

func TestUnpack(t *testing.T) {
	for kind, archive := range packed(t, [2]string{"repo/skills/one/SKILL.md", plain}, [2]string{"repo/skills/one/a.txt", "x"}, [2]string{"repo/skills/two/SKILL.md", plain}, [2]string{"repo/README.md", "x"}) {
		if _, _, err := UnpackSkill(archive, ""); err == nil || !strings.Contains(err.Error(), "2 skills (repo/skills/one, repo/skills/two)") {
			t.Errorf("%s: %v", kind, err)
		}
		dir, files, err := UnpackSkill(archive, "one")
		if err != nil || dir != "one" || len(files) != 2 || files[0].Path != "SKILL.md" || files[1].Path != "a.txt" {
			t.Errorf("%s: %s, %v, %v", kind, dir, files, err)
		}
	}
	for kind, archive := range packed(t, [2]string{"SKILL.md", plain}, [2]string{"b/c.txt", "x"}) {
		if dir, files, err := UnpackSkill(archive, ""); err != nil || dir != "" || len(files) != 2 {
			t.Errorf("%s at the top: %s, %v, %v", kind, dir, files, err)
		}
	}
	for kind, archive := range packed(t, [2]string{"SKILL.md", plain}, [2]string{"../evil", "x"}) {
		if _, _, err := UnpackSkill(archive, ""); err == nil {
			t.Errorf("%s: a path out of the archive", kind)
		}
	}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	if err := w.WriteHeader(&tar.Header{Name: "SKILL.md", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if _, _, err := UnpackSkill(b.Bytes(), ""); err == nil {
		t.Error("a link was unpacked")
	}
}
