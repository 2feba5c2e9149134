package tui

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"rein/tool"
)

// mostAttached is the largest file that is attached to a message, in bytes.
const mostAttached = 10 << 20

// readAttached returns the images and documents of a workspace that a message names with an @, and what could not be read.
func readAttached(root, message string) (parts []tool.Part, problem string) {
	for _, word := range named().FindAllStringSubmatch(message, -1) {
		name := word[1] + word[2]
		if !attachable(name) {
			continue
		}
		file := name
		if !filepath.IsAbs(file) {
			file = filepath.Join(root, file)
		}
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
			continue
		}
		p, err := attachFile(file)
		if err != nil {
			problem = err.Error()
			continue
		}
		parts = append(parts, p)
	}
	return parts, problem
}

// attachFile reads a file of this machine, to send it with a message.
func attachFile(path string) (p tool.Part, err error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return p, err
	case !info.Mode().IsRegular():
		return p, fmt.Errorf("%s is not a regular file", path)
	case info.Size() == 0:
		return p, fmt.Errorf("%s is empty and cannot go with a message", path)
	case info.Size() > mostAttached:
		return p, fmt.Errorf("%s has %d MB and is too large to go with a message", path, info.Size()>>20)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return p, err
	}
	if p = partOf(data, filepath.Base(path)); !strings.HasPrefix(p.MediaType, "image/") {
		p.Kind = tool.DocumentPart
	}
	return p, nil
}

// named are the files that a message names: @path, or @"path with blanks".
var named = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|\s)@(?:"([^"]+)"|([^\s"]+))`) })

func partOf(data []byte, name string) tool.Part {
	p := tool.Part{Kind: tool.ImagePart, MediaType: http.DetectContentType(data), Data: data, Name: name}
	if p.MediaType == "application/pdf" {
		p.Kind = tool.DocumentPart
	}
	return p
}

// attachDropped returns what names a file whose path was pasted, as terminals do where a file is dropped on them: with an @, relative to
// the workspace where it is in it. ok is false for any other text.
func attachDropped(root, pasted string) (name string, ok bool) {
	path := strings.TrimSpace(pasted)
	switch {
	case strings.Contains(path, "\n"):
		return "", false
	case strings.HasPrefix(path, "file://"):
		u, err := url.Parse(path)
		if err != nil {
			return "", false
		}
		path = filepath.FromSlash(u.Path)
	case len(path) > 1 && (path[0] == '\'' || path[0] == '"') && path[len(path)-1] == path[0]:
		path = path[1 : len(path)-1]
	case filepath.Separator == '/':
		path = strings.ReplaceAll(path, "\\ ", " ")
	}
	if info, err := os.Stat(path); err != nil || !filepath.IsAbs(path) || !info.Mode().IsRegular() || strings.Contains(path, `"`) {
		return "", false
	}
	if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
		path = rel
	}
	if strings.ContainsAny(path, " \t") {
		path = `"` + path + `"`
	}
	return "@" + path + " ", true
}

func attachable(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf":
		return true
	}
	return false
}

// addLine adds a line to a file of the workspace. It follows no link.
func addLine(file, line string) error {
	info, err := os.Lstat(file)
	if err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", file)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(old) > 0 && old[len(old)-1] != '\n' {
		line = "\n" + line
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line + "\n")
	return errors.Join(err, f.Close())
}
