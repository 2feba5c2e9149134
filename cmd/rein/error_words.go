package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"rein/app/settings"
	"rein/tool"
)

// inWords returns the text of an error as a user reads it: what the standard library says about files, programs, addresses and
// JSON is replaced by plain words.
func inWords(err error) string {
	text := err.Error()
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		text = replaceWords(text, e.Error(), e.Path, describeFileError(e.Path, e.Err))
	}
	if e, ok := errors.AsType[*exec.Error](err); ok && errors.Is(e, exec.ErrNotFound) {
		text = replaceWords(text, e.Error(), e.Name, "there is no program "+e.Name)
	}
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		text = replaceWords(text, e.Error(), "", fmt.Sprintf("this is not JSON (at byte %d)", e.Offset))
	}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		text = replaceWords(text, e.Error(), "", settings.WrongKind(e).Error())
	}
	if e, ok := errors.AsType[*os.SyscallError](err); ok && e.Syscall == "getwd" && errors.Is(e, fs.ErrNotExist) {
		text = replaceWords(text, e.Error(), "", "the directory in which you are does not exist any more")
	}
	if e, ok := errors.AsType[*tool.Error](err); ok { // its hint is for a model
		text = replaceWords(text, e.Error(), "", e.Text)
	}
	return text
}

// replaceWords replaces the words of a library in a text. What they are about is then named once.
func replaceWords(text, theirs, about, ours string) string {
	before, after, found := strings.Cut(text, theirs)
	if !found {
		return text
	}
	if about != "" {
		before = strings.TrimSuffix(before, about+": ")
	}
	return before + ours + after
}

// describeFileError says what is wrong with a file.
func describeFileError(name string, err error) string {
	if name == "" {
		return "a file without a name"
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return name + " does not exist"
	case errors.Is(err, fs.ErrPermission):
		return name + ": you may not read or change it"
	case errors.Is(err, syscall.EISDIR):
		return name + " is a directory"
	case errors.Is(err, syscall.ENOTDIR):
		return name + ": a part of this path is not a directory"
	}
	return fmt.Sprintf("%s: %v", name, err)
}
