package git

import (
	"context"
	"fmt"
	"path"
	"strings"

	"rein/tool"
)

type showArgs struct {
	Rev  string `json:"rev,omitempty" jsonschema:"the commit or tag; default: HEAD" maxLength:"300"`
	Path string `json:"path,omitempty" jsonschema:"only what the commit changed in this file or directory; with file: the file"`
	File bool   `json:"file,omitempty" jsonschema:"show the whole file path as it was in the commit"`
	Stat bool   `json:"stat,omitempty" jsonschema:"only the message and the files"`
}

func (a showArgs) Intent() tool.Intent { return here(a.Path) }

const showDescription = `Show a commit of the git repository: author, date, message, changed files and lines. With path and file: the file as it was in that commit.`

func (g Repository) show() *tool.Tool {
	t := tool.New("git_show", showDescription, tool.Reads, g.showCommit)
	t.Output = 2 * answerBytes
	t.Input = t.Input.WithAliases(map[string]string{"file_path": "path", "revision": "rev", "commit": "rev", "hash": "rev"})
	return t
}

func (g Repository) showCommit(ctx context.Context, in showArgs, r *tool.Reply) error {
	if rev, file, ok := strings.Cut(in.Rev, ":"); ok && in.Path == "" && file != "" {
		return &tool.Error{Kind: tool.BadArguments, Text: fmt.Sprintf("%q names a file", in.Rev), Hint: fmt.Sprintf("Send rev %q, path %q and file true", rev, file)}
	}
	if in.Rev == "" {
		in.Rev = "HEAD"
	}
	if err := checkRevision(in.Rev); err != nil {
		return err
	}
	if strings.Contains(in.Rev, "..") {
		return &tool.Error{Kind: tool.BadArguments, Text: "git_show shows one commit", Hint: "git_log lists a range, and git_diff compares its ends."}
	}
	a := g.at(in.Path)
	if in.File {
		return g.showFile(ctx, a, in, r)
	}
	out, _, err := g.run(ctx, a, "log", "-1", "--no-show-signature", "--decorate=short", "--format=commit %H%nparents %p%nauthor %an <%ae> %aI%ncommitter %cn %cI%nrefs %D%n%n%B", commits(in.Rev), "--")
	if err != nil {
		return err
	}
	head := strings.TrimSpace(strings.NewReplacer("\nparents \n", "\n", "\nrefs \n", "\n").Replace(string(out)))
	writeLines(r, []byte(head+"\n\n"), false)
	return g.changes(ctx, a, []string{"show", "--format=", "--no-show-signature", "-m", "--first-parent", commits(in.Rev)}, in.Stat, 3, r)
}

// showFile shows a file as it was.
func (g Repository) showFile(ctx context.Context, a at, in showArgs, r *tool.Reply) error {
	if in.Path == "" {
		return &tool.Error{Kind: tool.BadArguments, Text: "path is missing", Hint: "Name the file."}
	}
	out, cut, err := g.run(ctx, a, "cat-file", "blob", commits(in.Rev)+":./"+path.Clean(a.spec))
	if err != nil {
		return err
	}
	if strings.Contains(string(out[:min(len(out), 8000)]), "\x00") {
		return &tool.Error{Kind: tool.Unsupported, Text: fmt.Sprintf("%s was a binary file of %d bytes.", in.Path, len(out))}
	}
	writeLines(r, out, cut)
	return nil
}

type blameArgs struct {
	Path  string `json:"path" jsonschema:"the file" minLength:"1"`
	Rev   string `json:"rev,omitempty" jsonschema:"as of this revision; default: the work tree" maxLength:"300"`
	First int    `json:"first,omitempty" jsonschema:"first line, from 1" minimum:"1"`
	Last  int    `json:"last,omitempty" jsonschema:"last line" minimum:"1"`
}

func (a blameArgs) Intent() tool.Intent { return here(a.Path) }

const blameDescription = `Show for each line of a file the commit, date and author that changed it last.`

// blameLines is how many lines one call shows.
const blameLines = 300

func (g Repository) blame() *tool.Tool {
	t := tool.New("git_blame", blameDescription, tool.Reads, func(ctx context.Context, in blameArgs, r *tool.Reply) error {
		if err := checkRevision(in.Rev); err != nil {
			return err
		}
		in.First = max(in.First, 1)
		most := in.First + blameLines - 1
		if in.Last == 0 || in.Last > most {
			in.Last = most
		}
		if in.Last < in.First {
			return &tool.Error{Kind: tool.BadArguments, Text: fmt.Sprintf("last (%d) is before first (%d)", in.Last, in.First)}
		}
		a := g.at(in.Path)
		args := []string{"blame", "--no-textconv", "--porcelain", "-L", fmt.Sprintf("%d,%d", in.First, in.Last)}
		if in.Rev != "" {
			args = append(args, commits(in.Rev))
		}
		out, _, err := g.run(ctx, a, append(args, "--", a.spec)...)
		if err != nil {
			return err
		}
		n := writeBlame(string(out), r)
		if n == blameLines {
			r.Note(fmt.Sprintf("lines from %d: first=%d", most+1, most+1))
		}
		return nil
	})
	t.Output = 2 * answerBytes
	t.Input = t.Input.WithAliases(map[string]string{"file": "path", "file_path": "path", "revision": "rev", "start": "first", "end": "last", "start_line": "first", "end_line": "last"})
	return t
}
