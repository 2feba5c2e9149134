package media

import (
	"context"
	"fmt"
	"mime"
	"net/http"
	"path/filepath"
	"strings"

	"rein/tool"
)

type sendFileArgs struct {
	Path string `json:"path" jsonschema:"file, relative to the workspace" minLength:"1"`
	Note string `json:"note,omitempty" jsonschema:"what it is, for the user" maxLength:"500"`
}

// Intent reads the file.
func (a sendFileArgs) Intent() tool.Intent { return tool.Intent{Reads: []string{a.Path}} }

const sendFileDescription = `Show a file to the user: a result such as a chart, a document or an archive. The user gets its path and size, and can open it. You do not see its content: use view_image or read_file for that.`

// SendFile returns the tool that shows a file to the user. Its detail is tool.FileDetail, and the result has a link to the file.
func (t Tools) SendFile() *tool.Tool {
	s := tool.New("send_file", sendFileDescription, tool.Reads, t.sendFile)
	s.Input = s.Input.WithAliases(map[string]string{"file_path": "path", "filepath": "path", "filename": "path", "file": "path", "description": "note", "caption": "note"})
	return s
}

func (t Tools) sendFile(_ context.Context, in sendFileArgs, r *tool.Reply) error {
	file, err := t.open(in.Path)
	if err != nil {
		return err
	}
	defer file.Close()
	abs := t.Workspace.Abs(file.Name)
	kind := mime.TypeByExtension(strings.ToLower(filepath.Ext(abs)))
	if kind == "" {
		head := make([]byte, 512)
		n, _ := file.ReadAt(head, 0) // an empty file has no type either
		kind = http.DetectContentType(head[:n])
	}
	if err := r.Attach(tool.Part{Kind: tool.LinkPart, Name: filepath.Base(abs), Text: in.Note, MediaType: kind, URI: tool.FileURI(abs)}); err != nil {
		return err
	}
	r.Show(tool.Detail{Files: []tool.FileDetail{{Path: in.Path, Abs: abs, Size: file.Info.Size(), MediaType: kind, Note: in.Note}}})
	fmt.Fprintf(r, "Shown to the user: %s (%d B, %s)\n", abs, file.Info.Size(), kind)
	return nil
}
