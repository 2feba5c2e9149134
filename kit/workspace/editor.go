package workspace

import (
	"bytes"
	"io"
	"io/fs"
	"unicode/utf8"
)

// Editor is a program in which the user has files open. What is read is the text in the editor, also where it is not
// saved; what is written goes through the editor. A function that is nil leaves that to the disk. Files that are no UTF-8
// text without a byte order mark, or larger than MaxEdited, are read and written on the disk.
type Editor struct {
	// Read returns the text of a file by its absolute path; ok is false where the editor does not have it.
	Read func(path string) (text []byte, ok bool)
	// Write gives a file its new text, and saves it. The file may be new; its directory exists.
	Write func(path string, text []byte) error
}

// MaxEdited is the largest file, in bytes, that is read or written through an Editor.
const MaxEdited = 4 << 20

// edited gives the file with the text of the editor where that differs from what is on the disk.
func (f *File) edited() error {
	if f.w.Editor.Read == nil || f.Info.Size() > MaxEdited {
		return nil
	}
	v, err := f.Load()
	if err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return f.tree.wrap(f.given, err)
	}
	if !editable(v.Data) {
		return nil
	}
	text, ok := f.w.Editor.Read(f.w.Abs(f.Name))
	if !ok || len(text) > MaxEdited {
		return nil
	}
	if crlf := []byte("\r\n"); bytes.Contains(v.Data, crlf) && !bytes.Contains(text, crlf) {
		text = bytes.ReplaceAll(text, []byte("\n"), crlf) // editors keep line ends apart from the text
	}
	if !bytes.Equal(text, v.Data) {
		f.unsaved = bytes.NewReader(text)
		f.Info = unsavedInfo{f.Info, int64(len(text)), SumOf(text)}
	}
	return nil
}

// editable reports whether an editor would keep the bytes of a file as they are.
func editable(data []byte) bool {
	return utf8.Valid(data) && !bytes.ContainsRune(data, 0) && !bytes.HasPrefix(data, []byte("\ufeff"))
}

// ReadAt implements io.ReaderAt.
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	if f.unsaved != nil {
		return f.unsaved.ReadAt(p, off)
	}
	return f.File.ReadAt(p, off)
}

// Read implements io.Reader.
func (f *File) Read(p []byte) (int, error) {
	if f.unsaved != nil {
		return f.unsaved.Read(p)
	}
	return f.File.Read(p)
}

// unsavedInfo describes a file whose text in the editor is not the one on the disk.
type unsavedInfo struct {
	fs.FileInfo
	size int64
	sum  Sum
}

// Size is the length of the text in the editor.
func (i unsavedInfo) Size() int64 { return i.size }

// writeEdited writes a file through the editor, where it goes that way. old is the sum that the content must have before;
// nil: any.
func (w *Workspace) writeEdited(s *location, data []byte, old *Sum) (v *Version, done bool, err error) {
	if w.Editor.Write == nil || len(data) > MaxEdited || !editable(data) || s.info != nil && !w.editableFile(s) {
		return nil, false, nil
	}
	if err := w.unchanged(s, old); err != nil {
		return nil, true, err
	}
	// The editor knows only the path. It must still lead to the place that was checked.
	if now, err := w.Resolve(s.name); err != nil || now != s.name {
		return nil, true, changed(s.given, "leads elsewhere since it was looked up", Sum{})
	}
	if err := w.Editor.Write(w.Abs(s.name), data); err != nil {
		return nil, true, &Error{Kind: Failed, Name: s.given, Text: "the editor did not write " + quote(s.given) + ": " + err.Error(), Err: err}
	}
	info, err := s.dir.Stat(s.base)
	if err != nil {
		return nil, true, &Error{Kind: Failed, Name: s.given, Text: "the editor took the new text of " + quote(s.given) + " and did not save it", Err: err}
	}
	return &Version{Name: s.name, Data: data, Info: info}, true, nil
}

// editableFile reports whether the file on the disk is one that an editor keeps as it is.
func (w *Workspace) editableFile(s *location) bool {
	if s.info.Size() > MaxEdited {
		return false
	}
	f, err := w.openDisk(s)
	if err != nil {
		return false
	}
	defer f.Close()
	v, err := f.Load()
	return err == nil && editable(v.Data)
}
