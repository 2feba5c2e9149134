package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// file is one file of an archive or a package.
type file struct {
	name    string // relative, with slashes
	content []byte
	mode    os.FileMode
}

// sumsName is the file with the checksums.
const sumsName = "SHA256SUMS"

// archive writes the archive of a system: tar.gz, and zip for Windows. Names are in their order and times those of the commit.
func (r *release) archive(p program, extras []file) error {
	binary, err := os.ReadFile(p.File)
	if err != nil {
		return err
	}
	all := append([]file{{name: filepath.Base(p.File), content: binary, mode: 0o755}}, extras...)
	if p.OS == "darwin" {
		all = append(all, file{name: "rein.plist", content: agent, mode: 0o644})
	}
	slices.SortFunc(all, func(a, b file) int { return strings.Compare(a.name, b.name) })
	write, ending := r.tarGz, ".tar.gz"
	if p.OS == "windows" {
		write, ending = r.zip, ".zip"
	}
	out, err := os.Create(filepath.Join(r.Out, r.name(p)+ending))
	if err != nil {
		return err
	}
	return errors.Join(write(out, r.name(p), all), out.Close())
}

func (r *release) tarGz(out io.Writer, dir string, all []file) error {
	packed, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	to := tar.NewWriter(packed)
	for _, f := range all {
		h := &tar.Header{Name: dir + "/" + f.name, Mode: int64(f.mode), Size: int64(len(f.content)), ModTime: r.Time, Format: tar.FormatPAX}
		if err := to.WriteHeader(h); err != nil {
			return err
		}
		if _, err := to.Write(f.content); err != nil {
			return err
		}
	}
	return errors.Join(to.Close(), packed.Close())
}

func (r *release) zip(out io.Writer, dir string, all []file) error {
	to := zip.NewWriter(out)
	for _, f := range all {
		h := &zip.FileHeader{Name: dir + "/" + f.name, Method: zip.Deflate, Modified: r.Time}
		h.SetMode(f.mode)
		w, err := to.CreateHeader(h)
		if err == nil {
			_, err = w.Write(f.content)
		}
		if err != nil {
			return err
		}
	}
	return to.Close()
}

// sums writes the checksums of all files, in the form that sha256sum -c reads.
func (r *release) sums() error {
	entries, err := os.ReadDir(r.Out)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, e := range entries {
		sum, err := sumOf(filepath.Join(r.Out, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s\n", sum, e.Name())
	}
	return os.WriteFile(filepath.Join(r.Out, sumsName), []byte(b.String()), 0o644)
}

func sumOf(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), err
}

// sign runs the publisher's command on the checksums.
func (r *release) sign(ctx context.Context) error {
	words := strings.Fields(r.Sign)
	if len(words) == 0 {
		return nil
	}
	cmd := exec.CommandContext(ctx, words[0], append(words[1:], sumsName)...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = r.Out, os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("-sign: %w", err)
	}
	return nil
}
