package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"syscall"
)

// Kind is the kind of refusal or failure of an Error.
type Kind string

// The kinds of Error.
const (
	BadName      Kind = "bad name"      // empty, NUL inside, too long, a URL, a loop of links
	Outside      Kind = "outside"       // leads out of the workspace
	NotFound     Kind = "not found"     // does not exist
	NotFile      Kind = "not a file"    // a directory, pipe, socket or device where a regular file is needed
	NotDir       Kind = "not a folder"  // something else where a directory is needed
	Exists       Kind = "exists"        // exists, and must not
	TooLarge     Kind = "too large"     // larger than the caller allows
	Unread       Kind = "unread"        // this session has not read the file
	Changed      Kind = "changed"       // the file is not the version that this session read
	Denied       Kind = "denied"        // a rule of the workspace refuses
	NoPermission Kind = "no permission" // the operating system refuses
	Full         Kind = "full"          // no space on the disk, or no quota left
	Gone         Kind = "gone"          // the workspace itself was deleted or moved
	Failed       Kind = "failed"        // any other failure of the system
)

// Error is a refusal or a failure for a model: what happened, and what to try instead.
type Error struct {
	Kind Kind
	Name string // the file as the caller named it
	Text string // what happened, with the name in it
	Hint string // what to try; may be empty
	Err  error  // the cause; may be nil
}

// Error returns what happened; the hint is not part of it.
func (e *Error) Error() string { return e.Text }

// Unwrap returns the cause, so that errors.Is finds fs.ErrNotExist and the like.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of a workspace error anywhere in the chain of err, or "" where there is none.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return ""
}

// systemError is one error of the operating system, with its words for the model.
type systemError struct {
	is   error
	kind Kind
	text string
	hint string
}

// inPlace is the hint where no file can take the place of another one.
const inPlace = "The file is as it was; a command can write into it."

func systemErrors() []systemError {
	return []systemError{
		{fs.ErrNotExist, NotFound, "does not exist", ""},
		{fs.ErrExist, Exists, "already exists", ""},
		{fs.ErrPermission, NoPermission, "cannot be accessed: permission denied by the operating system", "The user can change the permissions of the file."},
		{syscall.ENOSPC, Full, "cannot be written: the disk is full", "Free some space, then send the call again."},
		{syscall.EDQUOT, Full, "cannot be written: the disk quota is used up", "Free some space, then send the call again."},
		{syscall.EROFS, NoPermission, "cannot be written: the file system is read-only", ""},
		{syscall.ENAMETOOLONG, BadName, "has a name that is too long", "Use a shorter path."},
		{syscall.ELOOP, BadName, "is a loop of symbolic links", "Use the path of the real file."},
		{syscall.ENOTDIR, NotDir, "leads through a file, not a directory", ""},
		{syscall.EISDIR, NotFile, "is a directory", "List it with list_dir, or send the path of a file in it."},
		{syscall.ENOTEMPTY, Exists, "is a directory that is not empty", ""},
		{syscall.EBUSY, Failed, "cannot be replaced: it is a mount point, or the system uses it", inPlace},
		{syscall.EXDEV, Failed, "cannot be replaced: it is on another file system than its directory", inPlace},
		{errors.ErrUnsupported, Failed, "cannot be written: the file system does not support it (a file is written beside the old one, and renamed)", inPlace},
		{syscall.ENXIO, NotFile, "is a pipe, socket or device, not a file", "Only regular files can be opened."},
	}
}

// notOpened says why a directory is no workspace.
func notOpened(dir string, err error) error {
	e := &Error{Failed, dir, fmt.Sprintf("the directory %s cannot be opened: %v", quote(dir), err), "", err}
	for _, s := range systemErrors() {
		if errors.Is(err, s.is) {
			e.Kind, e.Text, e.Hint = s.kind, fmt.Sprintf("the directory %s %s", quote(dir), s.text), s.hint
			if errors.Is(err, syscall.ENOTDIR) {
				e.Text = quote(dir) + " is not a directory"
			}
			return e
		}
	}
	return e
}

// wrap turns an error of the operating system into an Error for the named file.
func (t *tree) wrap(name string, err error) error {
	if _, ok := errors.AsType[*Error](err); ok || err == nil {
		return err
	}
	if t.gone() {
		return t.isGone(name, err)
	}
	for _, s := range systemErrors() {
		if errors.Is(err, s.is) {
			return &Error{s.kind, name, quote(name) + " " + s.text, s.hint, err}
		}
	}
	// os.Root has no error value for this. It happens only if a path is replaced while it is walked.
	if strings.Contains(err.Error(), "escapes from parent") {
		return &Error{Outside, name, quote(name) + " changed into a link that leads out of the workspace", "", err}
	}
	cause := err
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		cause = p.Err
	}
	return &Error{Failed, name, fmt.Sprintf("%s: %v", quote(name), cause), "", err}
}

// Listed returns a name for a list that has one on each line: as it is, or in quotes with escapes where a name with line ends,
// control characters or signs that turn the direction of writing could show another list.
func Listed(name string) string {
	if q := strconv.Quote(name); len(q) != len(name)+2 {
		return q
	}
	return name
}

// quote returns a plain name as it is, and any other name in quotes with its special characters escaped.
func quote(name string) string {
	if len(name) > 300 {
		name = strings.ToValidUTF8(name[:200], "") + "…" + strings.ToValidUTF8(name[len(name)-80:], "")
	}
	if q := fmt.Sprintf("%q", name); q != `"`+name+`"` || strings.ContainsAny(name, " ") {
		return q
	}
	return name
}

// Here returns an error of the kind Gone where the workspace is no longer the directory that was opened.
func (w *Workspace) Here() error {
	if t := w.trees[0]; t.gone() {
		return t.isGone(".", nil)
	}
	return nil
}

func (t *tree) isGone(name string, err error) error {
	return &Error{Gone, name, fmt.Sprintf("the workspace %s was deleted or moved", t.dir),
		"no file can be read or written there; tell the user, who can start again where it is now", err}
}
