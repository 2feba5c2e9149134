package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// An image is a program for Linux as an image for containers: OCI's layout in a tar, which docker and podman load and every registry
// takes. It is made without a daemon, of the program, the certificates of Mozilla's list, and a user without rights. There is no shell in it.
type image struct {
	out       bytes.Buffer
	tar       *tar.Writer
	time      time.Time
	manifests []descriptor
}

type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Platform    *platform         `json:"platform,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type platform struct {
	OS   string `json:"os"`
	Arch string `json:"architecture"`
}

const ociType = "application/vnd.oci.image."

// addImage adds the program for one processor, with the licences that are among the files beside it; of other systems there are no images.
func (r *release) addImage(p program, beside []file) error {
	if p.OS != "linux" {
		return nil
	}
	if r.image == nil {
		r.image = &image{time: r.Time}
		r.image.tar = tar.NewWriter(&r.image.out)
	}
	binary, err := os.ReadFile(p.File)
	if err != nil {
		return err
	}
	layer, plain, err := r.image.layer(binary, beside)
	if err != nil {
		return err
	}
	config := map[string]any{
		"created": r.Time.Format(time.RFC3339), "architecture": p.Arch, "os": p.OS,
		"config": map[string]any{"User": "65532:65532", "Env": []string{"PATH=/usr/bin", "HOME=/home/rein", "REIN_HOME=/home/rein/.rein"}, "Entrypoint": []string{"/usr/bin/rein"}, "WorkingDir": "/work",
			"Labels": map[string]string{"org.opencontainers.image.version": strings.TrimPrefix(r.Version, "v"), "org.opencontainers.image.url": r.Home, "org.opencontainers.image.licenses": "MIT"}},
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{plain}},
	}
	of, err := r.image.json(ociType+"config.v1+json", config)
	if err != nil {
		return err
	}
	m, err := r.image.json(ociType+"manifest.v1+json", map[string]any{"schemaVersion": 2, "mediaType": ociType + "manifest.v1+json", "config": of, "layers": []descriptor{layer}})
	m.Platform = &platform{p.OS, p.Arch}
	r.image.manifests = append(r.image.manifests, m)
	return err
}

// layer is the whole file system. The second result is the digest of what is not compressed.
func (i *image) layer(binary []byte, beside []file) (descriptor, string, error) {
	roots := new(bytes.Buffer)
	for root := range bundle.Roots() {
		if root.Constraint == nil { // those that count with a condition cannot be written as a list
			if err := pem.Encode(roots, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
				return descriptor{}, "", err
			}
		}
	}
	var plain bytes.Buffer
	to := tar.NewWriter(&plain)
	type owned struct {
		file
		owner int
	}
	files := []owned{
		{file{name: "etc/passwd", content: []byte("root:x:0:0::/:/none\nrein:x:65532:65532::/home/rein:/none\n"), mode: 0o644}, 0},
		{file{name: "etc/ssl/certs/ca-certificates.crt", content: roots.Bytes(), mode: 0o644}, 0},
		{file{name: "home/rein/", mode: 0o700}, 65532},
		{file{name: "tmp/", mode: 0o1777}, 0},
		{file{name: "usr/bin/rein", content: binary, mode: 0o755}, 0},
		{file{name: "work/", mode: 0o755}, 65532},
	}
	for _, f := range beside {
		if f.name == "LICENSE" || f.name == licensesName {
			f.name = "usr/share/doc/rein/" + f.name
			files = append(files, owned{f, 0})
		}
	}
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: int64(f.mode), Size: int64(len(f.content)), Uid: f.owner, Gid: f.owner, ModTime: i.time, Format: tar.FormatPAX}
		if strings.HasSuffix(f.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := to.WriteHeader(h); err != nil {
			return descriptor{}, "", err
		}
		if _, err := to.Write(f.content); err != nil {
			return descriptor{}, "", err
		}
	}
	if err := to.Close(); err != nil {
		return descriptor{}, "", err
	}
	d, err := i.blob(ociType+"layer.v1.tar+gzip", packed(plain.Bytes()))
	return d, digest(plain.Bytes()), err
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func (i *image) json(kind string, v any) (descriptor, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return descriptor{}, err
	}
	return i.blob(kind, text)
}

func (i *image) blob(kind string, content []byte) (descriptor, error) {
	d := descriptor{MediaType: kind, Digest: digest(content), Size: len(content)}
	return d, i.write("blobs/"+strings.Replace(d.Digest, ":", "/", 1), content)
}

func (i *image) write(name string, content []byte) error {
	if err := i.tar.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content)), ModTime: i.time, Format: tar.FormatPAX}); err != nil {
		return err
	}
	_, err := i.tar.Write(content)
	return err
}

// writeImage writes the images of all processors as one file.
func (r *release) writeImage() error {
	if r.image == nil {
		return nil
	}
	version := strings.TrimPrefix(r.Version, "v")
	slices.SortFunc(r.image.manifests, func(a, b descriptor) int { return strings.Compare(a.Platform.Arch, b.Platform.Arch) })
	all, err := r.image.json(ociType+"index.v1+json", map[string]any{"schemaVersion": 2, "mediaType": ociType + "index.v1+json", "manifests": r.image.manifests})
	if err != nil {
		return err
	}
	all.Annotations = map[string]string{"org.opencontainers.image.ref.name": version, "io.containerd.image.name": "rein:" + version}
	index, err := json.Marshal(map[string]any{"schemaVersion": 2, "manifests": []descriptor{all}})
	if err != nil {
		return err
	}
	err = errors.Join(r.image.write("oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`)), r.image.write("index.json", index), r.image.tar.Close())
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.Out, "rein_"+version+"_oci.tar"), r.image.out.Bytes(), 0o644)
}
