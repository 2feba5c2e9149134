//go:build !linux

package undo

func (f *File) Attrs() string { return "" }

func (d *Dir) Attrs() string { return "" }

// setAttrs does nothing: extended attributes are kept on Linux only.
func setAttrs(int, string) error { return nil }
