//go:build !linux

package undo

func (f *diskFile) Attrs() string { return "" }

func (d *diskDir) Attrs() string { return "" }

// setAttrs does nothing: extended attributes are kept on Linux only.
func setAttrs(int, string) error { return nil }
