//go:build !linux

package disk

func (f *File) Attrs() string { return "" }

func (d *Dir) Attrs() string { return "" }

// SetAttrs does nothing: extended attributes are kept on Linux only.
func SetAttrs(int, string) error { return nil }
