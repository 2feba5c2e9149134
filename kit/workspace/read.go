package workspace

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Sum is the SHA-256 of a file's content. The zero Sum means that the file does not exist.
type Sum [sha256.Size]byte

// String returns the first eight hexadecimal digits, enough to tell two versions apart.
func (s Sum) String() string { return fmt.Sprintf("%x", s[:4]) }

// SumOf returns the Sum of a content.
func SumOf(data []byte) Sum { return sha256.Sum256(data) }

// File is a regular file, opened for reading.
type File struct {
	*os.File
	Name  string      // canonical
	Info  fs.FileInfo // of the open file
	tree  *tree
	given string
	w     *Workspace

	unsaved *bytes.Reader // the text in the editor; nil: that on the disk
}

// Open opens a regular file for reading. It never waits: pipes, sockets and devices are refused, as are
// directories. The caller closes it.
func (w *Workspace) Open(name string) (*File, error) {
	s, err := w.locate(name, refuse)
	if err != nil {
		return nil, err
	}
	defer s.close()
	return w.open(s)
}

// open opens the file of a location with the text that an editor has of it.
func (w *Workspace) open(s *location) (*File, error) {
	f, err := w.openDisk(s)
	if err != nil {
		return nil, err
	}
	if err := f.edited(); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (w *Workspace) openDisk(s *location) (*File, error) {
	if s.info == nil {
		return nil, s.absent()
	}
	if err := s.regular(s.info); err != nil {
		return nil, err // before it is opened: opening a device may already do something
	}
	f, err := s.dir.OpenFile(s.base, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, s.wrap(err)
	}
	info, err := f.Stat()
	if err == nil {
		err = s.regular(info)
	}
	if err == nil && !w.HardLinks && linkedSecret(info) {
		err = &Error{Kind: Denied, Name: s.given, Text: quote(s.given) + " is a private file with a second hard link; it may be a secret from outside the workspace",
			Hint: "Ask the user for a copy of it."}
	}
	if err != nil {
		f.Close()
		return nil, s.wrap(err)
	}
	return &File{File: f, Name: s.name, Info: info, tree: s.tree, given: s.given, w: w}, nil
}

// regular refuses everything that is not a regular file.
func (s *location) regular(info fs.FileInfo) error {
	what, hint := "", "Only regular files can be opened."
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		what, hint = "directory", "List it with list_dir, or name a file in it."
	case mode&fs.ModeNamedPipe != 0:
		what = "named pipe"
	case mode&fs.ModeSocket != 0:
		what = "socket"
	case mode&fs.ModeDevice != 0:
		what = "device"
	default:
		what = "special file"
	}
	return &Error{Kind: NotFile, Name: s.given, Text: quote(s.given) + " is a " + what + ", not a file", Hint: hint}
}

// ReadFile returns the content of a regular file of at most MaxFile bytes. The file does not count as seen.
func (w *Workspace) ReadFile(name string) ([]byte, error) {
	v, err := w.Load(name)
	if err != nil {
		return nil, err
	}
	return v.Data, nil
}

// Version is a file's content at one moment, with what is needed to write it back.
type Version struct {
	Name string      // canonical
	Data []byte      // the content
	Sum  Sum         // of Data
	Info fs.FileInfo // size, mode and time when it was read
}

// Load reads a regular file of at most MaxFile bytes. The file does not count as seen: see Saw.
func (w *Workspace) Load(name string) (*Version, error) {
	f, err := w.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Load()
}

// Load reads all of a file that was just opened, of at most MaxFile bytes.
func (f *File) Load() (*Version, error) {
	most := f.w.maxFile()
	if f.Info.Size() > most {
		return nil, tooLarge(f.given, f.Info.Size(), most)
	}
	data := make([]byte, 0, f.Info.Size()+1)
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, f.tree.wrap(f.given, err)
		}
		if int64(len(data)) > most {
			return nil, tooLarge(f.given, int64(len(data)), most)
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
	return &Version{Name: f.Name, Data: data, Sum: SumOf(data), Info: f.Info}, nil
}

func tooLarge(given string, size, most int64) error {
	return &Error{Kind: TooLarge, Name: given, Text: fmt.Sprintf("%s has %d bytes; a whole file may have at most %d", quote(given), size, most),
		Hint: "Read some of its lines, or search it with grep."}
}

// Resolve returns the canonical name of a path: relative to the workspace, or absolute in an extra directory, with
// forward slashes and every link followed, so that two spellings of one file give one name. What does not exist yet
// has a name too. A path outside the workspace gives an Error.
func (w *Workspace) Resolve(name string) (string, error) {
	s, err := w.locate(name, suppose)
	if err != nil {
		return "", err
	}
	defer s.close()
	return s.name, nil
}

// Stat follows links and describes the target of a path.
func (w *Workspace) Stat(name string) (fs.FileInfo, error) {
	s, err := w.locate(name, refuse)
	if err != nil {
		return nil, err
	}
	defer s.close()
	if s.info == nil {
		return nil, s.absent()
	}
	return s.info, nil
}

// absent is the error for a name that does not exist, with similar names.
func (s *location) absent() error {
	err := s.wrap(fs.ErrNotExist)
	e, ok := err.(*Error)
	if ok && e.Kind == NotFound {
		e.Hint = similar(s.dir, s.base)
	}
	return err
}
