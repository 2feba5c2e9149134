package extend

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
)

// mostPacked is how many bytes an packed may have.
const mostPacked = 16 << 20

// Bounds of what is in it.
const (
	mostSkillFiles = 5000
	mostSkillBytes = 4 * mostPacked
)

// readArchive gives all plain files of an packed, with clean paths and slashes. It fails for links and devices, for a path that leads
// out of the archive, and beyond the bounds: 16 MiB packed, 64 MiB and 5,000 files unpacked.
func readArchive(packed []byte, see func(name string, text []byte)) (err error) {
	if len(packed) > mostPacked {
		return fmt.Errorf("the archive has more than %d bytes", mostPacked)
	}
	total, files := 0, 0
	add := func(name string, mode fs.FileMode, r io.Reader) error {
		name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
		switch {
		case mode.IsDir() || strings.HasPrefix(name, "pax_global_header"):
			return nil
		case !mode.IsRegular():
			return fmt.Errorf("%s is not a plain file", name)
		case !filepath.IsLocal(filepath.FromSlash(name)):
			return fmt.Errorf("%s lies outside of the archive", name)
		}
		text, err := io.ReadAll(io.LimitReader(r, mostSkillBytes+1))
		if total += len(text); total > mostSkillBytes || files > mostSkillFiles {
			return fmt.Errorf("the archive has too many files or bytes")
		}
		files++
		see(name, text)
		return err
	}
	if bytes.HasPrefix(packed, []byte("PK")) {
		z, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
		if err != nil {
			return err
		}
		for _, f := range z.File {
			r, err := f.Open()
			if err == nil {
				err = errors.Join(add(f.Name, f.Mode(), r), r.Close())
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	var r io.Reader = bytes.NewReader(packed)
	if bytes.HasPrefix(packed, []byte{0x1f, 0x8b}) {
		if r, err = gzip.NewReader(r); err != nil {
			return err
		}
	}
	t := tar.NewReader(r)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = add(h.Name, h.FileInfo().Mode(), t)
		}
		if err != nil {
			return err
		}
	}
}
