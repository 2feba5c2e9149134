package replay

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"rein/internal/plainfile"
	"rein/kit/undo"
)

// CopyWorkspace copies the files, directories and links of a directory to another one, which is made. What is none of these is left out.
func CopyWorkspace(ctx context.Context, from, to string) error {
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer root.Close()
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		rel, rerr := filepath.Rel(from, name)
		if err != nil || rerr != nil || rel == "." {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch mode := info.Mode(); {
		case mode.IsDir():
			return root.Mkdir(rel, mode.Perm()|0o700)
		case mode&fs.ModeSymlink != 0:
			target, err := os.Readlink(name)
			if err != nil {
				return err
			}
			return root.Symlink(target, rel)
		case mode.IsRegular():
			in, err := plainfile.Open(name)
			if err != nil {
				return err
			}
			defer in.Close()
			return write(root, rel, mode.Perm(), in)
		}
		return nil
	})
}

func write(root *os.Root, name string, perm fs.FileMode, in io.Reader) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, in)
	if err == nil {
		err = f.Chmod(perm)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// Give makes a path of a copy as a version says.
func Give(dir string, v undo.Version) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	name := filepath.FromSlash(v.Path)
	switch {
	case v.Lost:
		return fmt.Errorf("what %s held then is not kept", v.Path)
	case v.Exists && v.Mode.IsDir():
		return root.MkdirAll(name, v.Mode.Perm()|0o700)
	}
	if err := root.RemoveAll(name); err != nil || !v.Exists {
		return err
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if v.Mode&fs.ModeSymlink != 0 {
		return root.Symlink(v.Target, name)
	}
	if !v.Mode.IsRegular() {
		return nil
	}
	data, err := v.Data()
	if err != nil {
		return err
	}
	return write(root, name, v.Mode.Perm(), bytes.NewReader(data))
}
