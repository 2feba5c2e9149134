package files

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"rein/internal/plaintext"
	"rein/kit/workspace"
	"rein/tool"
)

// The limits of one list_dir.
const (
	listLimit = 500
	listMost  = 2000
	listBytes = 28 << 10
)

type listArgs struct {
	Path  string `json:"path,omitempty" jsonschema:"default: the workspace"`
	Depth int    `json:"depth,omitempty" jsonschema:"levels to show; 1: only the directory itself" minimum:"1" maximum:"10" default:"1"`
	Limit int    `json:"limit,omitempty" minimum:"1" maximum:"2000" default:"500"`
}

// Intent reads the directory.
func (a listArgs) Intent() tool.Intent { return tool.Intent{Reads: []string{orHere(a.Path)}} }

const listDescription = `List a directory. Directories end in "/", files have their size, links show their target. With depth above 1, entries that .gitignore excludes are not shown.`

// ListDir returns the tool that lists a directory. Its detail is tool.FoundDetail.
func (f Tools) ListDir() *tool.Tool {
	t := tool.New("list_dir", listDescription, tool.Reads, f.list)
	t.Input = t.Input.WithAliases(dirNames("max_depth", "depth", "levels", "depth", "max_entries", "limit", "max_results", "limit"))
	return t
}

func (f Tools) list(ctx context.Context, in listArgs, r *tool.Reply) error {
	dir := orHere(in.Path)
	info, err := f.Workspace.Stat(dir)
	if err != nil {
		return refusal(err)
	}
	if !info.IsDir() {
		return &tool.Error{Kind: tool.Unsupported, Text: fmt.Sprintf("%q is a file of %s, not a directory", dir, tool.SizeText(info.Size())), Hint: "Read it with read_file."}
	}
	depth := max(in.Depth, 1)
	listing, err := f.Workspace.Walk(ctx, dir, workspace.WalkOptions{Depth: depth, NoIgnore: depth == 1})
	if err != nil {
		return refusal(err)
	}
	limit := listLimit
	if in.Limit > 0 {
		limit = min(in.Limit, listMost)
	}
	var out bytes.Buffer
	shown := 0
	hidden := f.hidden(listing.Dir)
	for _, e := range listing.Entries {
		if shown == limit || out.Len() > listBytes {
			break
		}
		entry(&out, listing, e, hidden)
		shown++
	}
	if len(listing.Entries) == 0 {
		out.WriteString("(the directory is empty)\n")
	}
	if left := len(listing.Entries) - shown; left > 0 {
		fmt.Fprintf(&out, "(%s; list a subdirectory, or use glob)\n", plaintext.Counted(left, "more entry"))
	}
	r.Show(tool.Detail{Found: &tool.FoundDetail{Path: listing.Dir, Shown: shown, Total: len(listing.Entries), More: shown < len(listing.Entries)}})
	_, err = r.Write(out.Bytes())
	return err
}

// entry writes one line, indented by its depth. The size of a hidden file is left out: it says something of what is in it.
func entry(out *bytes.Buffer, l *workspace.Listing, e workspace.Entry, hidden func(name string) bool) {
	out.WriteString(strings.Repeat("  ", strings.Count(e.Path, "/")))
	out.WriteString(workspace.Listed(path.Base(e.Path)))
	switch {
	case e.Type.IsDir():
		out.WriteByte('/')
	case e.Type&fs.ModeSymlink != 0:
		fmt.Fprintf(out, " -> %s", workspace.Listed(l.Target(e)))
	case e.Type != 0:
		out.WriteString("  (not a regular file)")
	case hidden(l.Name(e)):
		out.WriteString("  (may hold secrets)")
	default:
		if info, err := l.Info(e); err == nil {
			fmt.Fprintf(out, "  %s", tool.SizeText(info.Size()))
		}
	}
	out.WriteByte('\n')
}
