package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// buffers is an editor that keeps texts by path and saves what it is given.
type buffers struct {
	texts map[string]string
	wrote []string
	fails error
}

func (b *buffers) editor() Editor {
	return Editor{
		Read: func(path string) ([]byte, bool) {
			text, ok := b.texts[path]
			return []byte(text), ok
		},
		Write: func(path string, text []byte) error {
			if b.fails != nil {
				return b.fails
			}
			b.wrote = append(b.wrote, path)
			b.texts[path] = string(text)
			return os.WriteFile(path, text, 0o644)
		},
	}
}

func TestUnsavedTextIsRead(t *testing.T) {
	for _, row := range []struct{ name, disk, buffer, want string }{
		{"an unsaved text replaces that on the disk", "one\n", "two\nlines\n", "two\nlines\n"},
		{"an empty buffer is the text", "one\n", "", ""},
		{"an editor that keeps line ends apart has the same text", "a\r\nb\r\n", "a\nb\n", "a\r\nb\r\n"},
		{"the line ends of the disk are those of the unsaved text", "a\r\nb\r\n", "a\nc\n", "a\r\nc\r\n"},
		{"a file that is no text is read from the disk", "\xff\xfe1\x002\x00", "12", "\xff\xfe1\x002\x00"},
		{"a byte order mark is kept on the disk", "\ufeffone", "one", "\ufeffone"},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := newFixture(t)
			path := filepath.Join(f.dir, "a.txt")
			f.must(os.WriteFile(path, []byte(row.disk), 0o644))
			f.Editor = (&buffers{texts: map[string]string{path: row.buffer}}).editor()
			v, err := f.Load("a.txt")
			f.must(err)
			if string(v.Data) != row.want || v.Sum != SumOf([]byte(row.want)) || v.Info.Size() != int64(len(row.want)) {
				t.Errorf("read %q, size %d; want %q", v.Data, v.Info.Size(), row.want)
			}
			file, err := f.Open("a.txt")
			f.must(err)
			defer file.Close()
			if w, err := file.Lines(context.Background(), LineRange{}); err == nil && row.want == "two\nlines\n" && w.Total != 2 {
				t.Errorf("lines of the unsaved text: %+v", w)
			}
		})
	}
}

func TestEditorWrites(t *testing.T) {
	f := newFixture(t)
	path := filepath.Join(f.dir, "a.txt")
	f.must(os.WriteFile(path, []byte("disk\n"), 0o644))
	b := &buffers{texts: map[string]string{path: "unsaved\n"}}
	f.Editor = b.editor()

	if _, err := f.Store("a.txt", []byte("new\n"), SumOf([]byte("disk\n"))); KindOf(err) != Changed {
		t.Errorf("a change of the text on the disk while the editor has another one: %v, want Changed", err)
	}
	_, err := f.Store("a.txt", []byte("new\n"), SumOf([]byte("unsaved\n")))
	f.must(err)
	_, err = f.Store("dir/new.txt", []byte("created\n"), Sum{})
	f.must(err)
	if len(b.wrote) != 2 || b.texts[path] != "new\n" {
		t.Errorf("the editor wrote %v", b.wrote)
	}
	if data, _ := os.ReadFile(filepath.Join(f.dir, "dir/new.txt")); string(data) != "created\n" {
		t.Errorf("a new file has %q", data)
	}
	if _, err := f.Store("dir/new.txt", []byte("x"), Sum{}); KindOf(err) != Exists {
		t.Errorf("a file that exists is created again: %v", err)
	}
	f.must(f.WriteFile("b.bin", []byte{0, 1}))
	if len(b.wrote) != 2 {
		t.Error("a file that is no text went through the editor")
	}
	b.fails = errors.New("no such project")
	if err := f.WriteFile("a.txt", []byte("lost\n")); err == nil || !strings.Contains(err.Error(), "no such project") {
		t.Errorf("the editor's failure is %v", err)
	}
	if data, _ := os.ReadFile(path); string(data) != "new\n" {
		t.Errorf("after the failure the disk has %q", data)
	}
}

// A link that a program puts in the place of a directory while the call runs does not lead the editor outside.
func TestEditorWritesWhereItWasChecked(t *testing.T) {
	f := newFixture(t)
	f.must(os.Mkdir(filepath.Join(f.dir, "d"), 0o755))
	b := &buffers{texts: map[string]string{}}
	f.Editor = b.editor()
	s, err := f.locate("d/a.txt", create)
	f.must(err)
	defer s.close()
	f.must(os.Rename(filepath.Join(f.dir, "d"), filepath.Join(f.dir, "old")))
	f.must(os.Symlink(f.outside, filepath.Join(f.dir, "d")))
	if _, done, err := f.writeEdited(s, []byte("x"), nil); !done || err == nil || len(b.wrote) > 0 {
		t.Errorf("the editor wrote %v (%v)", b.wrote, err)
	}
}

func TestSeenUnsavedText(t *testing.T) {
	f := newFixture(t)
	path := filepath.Join(f.dir, "a.txt")
	f.must(os.WriteFile(path, []byte("disk\n"), 0o644))
	b := &buffers{texts: map[string]string{path: "first\n"}}
	f.Editor = b.editor()
	v, err := f.Load("a.txt")
	f.must(err)
	f.SawPart(v.Name, v.Info, 0, 3)
	if err := f.SeenSome(v); err != nil {
		t.Error(err)
	}
	b.texts[path] = "other\n" // the user continues typing
	v, err = f.Load("a.txt")
	f.must(err)
	if err := f.SeenSome(v); KindOf(err) != Changed {
		t.Errorf("after the user typed: %v, want Changed", err)
	}
}
