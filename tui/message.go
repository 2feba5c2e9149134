package tui

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rein/tool"
	"rein/tui/block"
)

// mostAttached is the largest file that is attached to a message, in bytes.
const mostAttached = 10 << 20

// sendWritten sends a message. Images and PDF files that it names with an @ go with it.
func (u *ui) sendWritten(message string) tea.Cmd {
	if strings.HasPrefix(message, "//") { // a message that begins with a slash
		message = message[1:]
	}
	attached, problem := u.attachments(message)
	if problem != "" {
		u.hint = problem
	}
	return u.send(message, attached)
}

// attachments reads the images and documents that a message names.
func (u *ui) attachments(message string) (parts []tool.Part, problem string) {
	for _, word := range strings.Fields(message) {
		name, ok := strings.CutPrefix(word, "@")
		if !ok || !attachable(name) {
			continue
		}
		file := name
		if !filepath.IsAbs(file) {
			file = filepath.Join(u.o.Harness.Root(), file)
		}
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if info.Size() > mostAttached {
			problem = name + " has " + block.Bytes(info.Size()) + " and is too large to go with a message"
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

func jsonString(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(b)
}
