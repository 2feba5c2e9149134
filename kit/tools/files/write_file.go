package files

import (
	"bytes"
	"context"
	"fmt"

	"rein/internal/plaintext"
	"rein/kit/edit"
	"rein/kit/workspace"
	"rein/tool"
)

type writeArgs struct {
	Path    string `json:"path" jsonschema:"file, relative to the workspace; missing directories are created" minLength:"1"`
	Content string `json:"content"`
}

// Intent writes the file, which may not exist; it is not shown to the model.
func (a writeArgs) Intent() tool.Intent { return tool.Intent{Writes: []string{a.Path}} }

const writeDescription = `Create a file, or replace the whole content of a file that you have read in this session. To change a part of a file, use edit_file.`

// WriteFile returns the tool that writes a whole file. Its detail is one tool.Change.
func (f Tools) WriteFile() *tool.Tool {
	t := tool.New("write_file", writeDescription, tool.Reads|tool.Writes, f.write)
	t.Input = t.Input.WithAliases(pathNames("text", "content", "contents", "content", "file_text", "content", "data", "content", "file_content", "content"))
	return t
}

func (f Tools) write(ctx context.Context, in writeArgs, r *tool.Reply) error {
	data := []byte(in.Content)
	old, err := f.Workspace.Load(in.Path)
	switch {
	case workspace.KindOf(err) == workspace.NotFound:
		name, err := f.Workspace.Store(in.Path, data, workspace.Sum{})
		if err != nil {
			return refusal(err)
		}
		f.shows(ctx, r, &rewriting{path: name, after: in.Content, data: data})
		fmt.Fprintf(r, "created %s (%s)\n", workspace.Listed(name), extent(data))
		return nil
	case err != nil:
		return refusal(err)
	}
	if err := f.Workspace.SeenAll(old); err != nil {
		return refusal(err)
	}
	before, set, err := workspace.DecodeText(old.Data, in.Content)
	if err != nil || set.UTF8() {
		before, set = string(old.Data), workspace.Charset{}
	}
	if err := omission([]byte(before), data); err != nil {
		return err
	}
	after := likeOld([]byte(before), data, r)
	if data, err = set.Encode(string(after)); err != nil {
		return &tool.Error{Kind: tool.Unsupported, Text: err.Error(), Hint: "Use characters that the encoding has, or convert the file to UTF-8 first: iconv, then mv."}
	}
	if !set.UTF8() {
		r.Note(fmt.Sprintf("the file stays %s", set))
	}
	if bytes.Equal(old.Data, data) {
		fmt.Fprintf(r, "%s already has this content; nothing was written\n", workspace.Listed(old.Name))
		return nil
	}
	name, err := f.Workspace.Store(in.Path, data, old.Sum)
	if err != nil {
		return refusal(err)
	}
	f.shows(ctx, r, &rewriting{path: name, old: old, charset: set, before: before, after: string(after), data: data, result: edit.Compare(before, string(after))})
	fmt.Fprintf(r, "wrote %s (%s; it had %s)\n", workspace.Listed(name), extent(data), extent(old.Data))
	return nil
}

// likeOld gives the new content the byte order mark and the line endings of the old content, which a model cannot see.
func likeOld(old, data []byte, r *tool.Reply) []byte {
	bom := []byte("\xef\xbb\xbf")
	if bytes.HasPrefix(old, bom) && !bytes.HasPrefix(data, bom) {
		data = append(bytes.Clone(bom), data...)
		r.Note("the byte order mark was kept")
	}
	breaks := bytes.Count(old, []byte("\n"))
	if breaks > 0 && breaks == bytes.Count(old, []byte("\r\n")) && !bytes.Contains(data, []byte("\r")) && bytes.Contains(data, []byte("\n")) {
		data = bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))
		r.Note("the CR LF line endings were kept")
	}
	return data
}

// extent describes the size of a text.
func extent(data []byte) string {
	n := bytes.Count(data, []byte("\n"))
	if len(data) > 0 && data[len(data)-1] != '\n' {
		n++
	}
	return plaintext.Counted(n, "line") + ", " + plaintext.Counted(len(data), "byte")
}
