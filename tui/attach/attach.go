// Package attach reads the files that a message names, to send them with it.
package attach

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"rein/tool"
)

// mostAttached is the largest file that is attached to a message, in bytes.
const mostAttached = 10 << 20

// Read gives the images and documents of a workspace that a message names with an @, and what could not be read.
func Read(root, message string) (parts []tool.Part, problem string) {
	for _, word := range named.FindAllStringSubmatch(message, -1) {
		name := word[1] + word[2]
		if !attachable(name) {
			continue
		}
		file := name
		if !filepath.IsAbs(file) {
			file = filepath.Join(root, file)
		}
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if info.Size() > mostAttached {
			problem = name + " has " + fmt.Sprintf("%d MB", info.Size()>>20) + " and is too large to go with a message"
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			problem = err.Error()
			continue
		}
		parts = append(parts, partOf(data, filepath.Base(name)))
	}
	return parts, problem
}

// named are the files that a message names: @path, or @"path with blanks".
var named = regexp.MustCompile(`(?:^|\s)@(?:"([^"]+)"|([^\s"]+))`)

func partOf(data []byte, name string) tool.Part {
	p := tool.Part{Kind: tool.ImagePart, MediaType: http.DetectContentType(data), Data: data, Name: name}
	if p.MediaType == "application/pdf" {
		p.Kind = tool.DocumentPart
	}
	return p
}

// Dropped gives what names a file whose path was pasted, as terminals do where a file is dropped on them: with an @, relative to
// the workspace where it is in it. ok is false for any other text.
func Dropped(root, pasted string) (name string, ok bool) {
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
