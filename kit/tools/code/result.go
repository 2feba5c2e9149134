package code

import (
	"bytes"
	"fmt"
	"image"
	_ "image/gif" // the sizes of images
	_ "image/jpeg"
	_ "image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"rein/kit/sandbox"
	"rein/tool"
)

// The limits of what comes back.
const (
	mostImages  = 4
	imageBytes  = 3 << 20
	imageSide   = 8000 // pixels
	shownFiles  = 5    // whose text is shown
	shownBytes  = 8 << 10
	listedFiles = 50
	errorBytes  = 4 << 10
)

// most fails when more is written than is left.
type most struct {
	w    io.Writer
	left int
}

func (m *most) Write(p []byte) (int, error) {
	if m.left -= len(p); m.left < 0 {
		return 0, sandbox.ErrTooMuchOutput
	}
	return m.w.Write(p)
}

// report writes what is known of a run besides its output.
func report(r *tool.Reply, result sandbox.PipedResult) {
	if text := strings.TrimRight(result.Errors, "\n"); text != "" {
		if len(text) >= errorBytes-1 {
			text = "…" + text
		}
		fmt.Fprintf(r, "[errors]\n%s\n", strings.ToValidUTF8(text, "�"))
	}
	switch {
	case result.TimedOut, result.Over:
	case result.Signal != 0:
		fmt.Fprintf(r, "[ended by signal %v after %v]\n", result.Signal, round(result.Duration))
	default:
		fmt.Fprintf(r, "[exit code %d after %v]\n", result.Code, round(result.Duration))
	}
}

func round(d time.Duration) time.Duration { return d.Round(10 * time.Millisecond) }

// ended is the error of a run that reached a limit, and of a language that does not run here.
func ended(result sandbox.PipedResult, limit time.Duration, l language) error {
	switch {
	case result.TimedOut:
		return &tool.Error{Kind: tool.TimedOut, Text: fmt.Sprintf("Stopped after the timeout of %v.", limit), Hint: "Set a longer timeout (at most 300 seconds), or do less."}
	case result.Over:
		return &tool.Error{Kind: tool.TooLarge, Text: "Stopped: it printed more than 64 MiB."}
	case result.Limit != "":
		return &tool.Error{Kind: tool.TooLarge, Text: "Stopped by the limit: " + result.Limit + "."}
	case l.name == "typescript" && strings.Contains(result.Errors, "bad option: --experimental-strip-types"):
		return &tool.Error{Kind: tool.Unsupported, Text: "This version of Node cannot run TypeScript.", Hint: "Send JavaScript; the user may install tsx (npm install -g tsx) or Node 22.6 or later."}
	}
	return nil
}

// file is what is known of a file, to see whether it changes.
type file struct {
	size int64
	at   time.Time
}

// listing lists the files of a directory.
func listing(dir *directory) map[string]file {
	all := map[string]file{}
	_ = fs.WalkDir(dir.FS(), ".", func(rel string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") || d.Name() == "__pycache__" || d.Name() == "node_modules") && rel != ".":
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil // also a link, which may lead anywhere
		}
		if info, err := d.Info(); err == nil {
			all[rel] = file{info.Size(), info.ModTime()}
		}
		if len(all) > 10_000 {
			return fs.SkipAll
		}
		return nil
	})
	return all
}

// images are the types of images that models take, by the ends of names.
var images = map[string]string{".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif"}

// bring adds what a run has written to the reply: images, the text of small files, and the names of the others.
func bring(r *tool.Reply, dir *directory, before map[string]file) {
	shown, attached, listed := 0, 0, 0
	now := listing(dir)
	for _, name := range sorted(now) {
		f := now[name]
		if before[name] == f {
			continue
		}
		if listed++; listed > listedFiles {
			fmt.Fprintln(r, "… more files")
			return
		}
		kind := images[strings.ToLower(filepath.Ext(name))]
		if kind != "" && attached < mostImages && f.size <= imageBytes {
			if data, ok := picture(dir, name); ok && r.Attach(tool.Part{Kind: tool.ImagePart, MediaType: kind, Data: data, Name: name}) == nil {
				attached++
				fmt.Fprintf(r, "[image %s]\n", name)
				continue
			}
		}
		if kind == "" && f.size <= shownBytes && shown < shownFiles {
			if text, err := read(dir, name, shownBytes); err == nil && utf8.Valid(text) && !bytes.ContainsRune(text, 0) {
				shown++
				fmt.Fprintf(r, "[file %s]\n%s\n", name, strings.TrimRight(string(text), "\n"))
				continue
			}
		}
		fmt.Fprintf(r, "[file %s, %d bytes]\n", name, f.size)
	}
}

// picture reads an image whose sides are not too long for a model.
func picture(dir *directory, name string) ([]byte, bool) {
	data, err := read(dir, name, imageBytes)
	if err != nil {
		return nil, false
	}
	config, _, err := image.DecodeConfig(bytes.NewReader(data))
	return data, err == nil && config.Width <= imageSide && config.Height <= imageSide
}

// read reads a file of at most so many bytes. It does not wait for a writer where the file has become a pipe.
func read(dir *directory, name string, most int64) ([]byte, error) {
	f, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = sandbox.ErrTooMuchOutput
	}
	return data, err
}
