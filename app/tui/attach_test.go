package tui

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const attachPng = "\x89PNG\r\n\x1a\n"

func TestFilesThatAMessageNames(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a.png", "with blank.png", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(attachPng), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	parts, problem := readAttached(root, `look at @a.png and @"with blank.png", not at me@a.png or @notes.txt or @gone.png`)
	if len(parts) != 2 || problem != "" || parts[0].Name != "a.png" || parts[1].Name != "with blank.png" || parts[1].MediaType != "image/png" {
		t.Errorf("%+v %s", parts, problem)
	}
	if err := os.WriteFile(filepath.Join(root, "a.png"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if parts, problem := readAttached(root, "@a.png"); len(parts) != 0 || !strings.Contains(problem, "a.png is empty and cannot go with a message") {
		t.Errorf("%+v %s", parts, problem)
	}
}

func TestADroppedFileIsNamed(t *testing.T) {
	root, other := t.TempDir(), t.TempDir()
	inside, outside := filepath.Join(root, "with blank.png"), filepath.Join(other, "a.png")
	for _, name := range []string{inside, outside} {
		if err := os.WriteFile(name, []byte(attachPng), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for pasted, want := range map[string]string{
		inside: `@"with blank.png" `, "'" + inside + "'": `@"with blank.png" `, strings.ReplaceAll(inside, " ", `\ `) + " ": `@"with blank.png" `,
		outside: "@" + outside + " ", "file://" + outside: "@" + outside + " ",
		"a.png": "", "/no/such/file.png": "", other: "", outside + "\n" + inside: "", "": "", "what is " + outside: "",
	} {
		if got, ok := attachDropped(root, pasted); got != want || ok != (want != "") {
			t.Errorf("%q is %q, want %q", pasted, got, want)
		}
	}
}

func TestClipboard(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the programs of this test are shell scripts")
	}
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	t.Setenv("WAYLAND_DISPLAY", "")
	t.Setenv("DISPLAY", ":0")
	if _, err := attachClipboard(t.Context(), nil, "c"); !errors.Is(err, errNoReader) {
		t.Errorf("without a program: %v", err)
	}
	gives := func(program, script string) {
		if err := os.WriteFile(filepath.Join(bin, program), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	gives("wl-paste", `printf '\211PNG\r\n\032\n'`)
	if _, err := attachClipboard(t.Context(), nil, "c"); !errors.Is(err, errNoReader) {
		t.Errorf("without a Wayland display: %v", err)
	}
	gives("xclip", `echo "$SECRET" text`)
	if _, err := attachClipboard(t.Context(), nil, "c"); err == nil || !strings.Contains(err.Error(), "no image") {
		t.Errorf("text in the clipboard: %v", err)
	}
	gives("xclip", `test -z "$SECRET" && test "$*" = "-selection clipboard -target image/png -out" && printf '\211PNG\r\n\032\n'`)
	t.Setenv("SECRET", "x")
	p, err := attachClipboard(t.Context(), []string{"DISPLAY=:0"}, "c")
	if err != nil || p.MediaType != "image/png" || p.Name != "c" {
		t.Errorf("%+v %v", p, err)
	}
}
