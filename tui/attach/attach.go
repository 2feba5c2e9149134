// Package attach reads the files that a message names, to send them with it.
package attach

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"rein/tool"
)

// mostAttached is the largest file that is attached to a message, in bytes.
const mostAttached = 10 << 20

// Read gives the images and documents of a workspace that a message names with an @, and what could not be read.
func Read(root, message string) (parts []tool.Part, problem string) {
	for _, word := range strings.Fields(message) {
		name, ok := strings.CutPrefix(word, "@")
		if !ok || !attachable(name) {
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
		p := tool.Part{Kind: tool.ImagePart, MediaType: http.DetectContentType(data), Data: data, Name: filepath.Base(name)}
		if p.MediaType == "application/pdf" {
			p.Kind = tool.DocumentPart
		}
		parts = append(parts, p)
	}
	return parts, problem
}

func attachable(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf":
		return true
	}
	return false
}
