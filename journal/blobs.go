package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"

	"rein/internal/plainfile"
)

// Images and documents are base64 in the JSON of an event. Those of at least blobSize bytes go into separate files,
// named by the hash of their content. So the same data is kept once, and a journal can be read and searched as text:
//
// 	"data":"iVBORw0…"   becomes   "data":"blob:HASH" … "blobs":["HASH"]

// BlobsName is the name of the directory beside a journal that has the data of its images and documents.
const BlobsName = "blobs"

// blobSize is the length of base64 from which data goes into a blob.
const blobSize = 8 << 10

var (
	dataKey    = []byte(`"data":"`)
	blobPrefix = []byte(`blob:`)
	blobRef    = []byte(`"data":"blob:`)
	blobHash   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{64}$`) })
)

// store moves the large data of a line into blobs. A line in which a model wrote what looks like a reference stays as it
// is.
func store(dir string, line []byte) ([]byte, error) {
	if len(line) < blobSize || bytes.Contains(line, blobRef) {
		return line, nil
	}
	var out []byte
	var hashes []string
	rest := line
	for {
		before, data, after, ok := nextData(rest)
		if !ok {
			break
		}
		rest = after
		out = append(out, before...)
		if hash, err := keepBlob(dir, data); err != nil {
			return nil, err
		} else if hash != "" {
			hashes = append(hashes, hash)
			data = append(bytes.Clone(blobPrefix), hash...)
		}
		out = append(out, data...)
	}
	if len(hashes) == 0 {
		return line, nil
	}
	end := bytes.LastIndexByte(rest, '}')
	names, err := json.Marshal(hashes)
	if end < 0 || err != nil {
		return nil, errors.Join(errors.New("the line is not an object"), err)
	}
	out = append(out, rest[:end]...)
	out = append(append(out, `,"blobs":`...), names...)
	return append(out, rest[end:]...), nil
}

// nextData finds the next value of a key "data" that is a string without escapes. before ends with the quote that opens
// it, after begins with the one that closes it. A quote within a string of JSON is escaped, so the key is a key.
func nextData(line []byte) (before, data, after []byte, ok bool) {
	for from := 0; ; {
		at := bytes.Index(line[from:], dataKey)
		if at < 0 {
			return nil, nil, line, false
		}
		at += from
		start := at + len(dataKey)
		end := bytes.IndexByte(line[start:], '"')
		if end < 0 {
			return nil, nil, line, false
		}
		if from = start + end; at == 0 || line[at-1] != '\\' {
			return line[:start], line[start:from], line[from:], true
		}
	}
}

// keepBlob writes the data into a blob and returns its hash; "" where the data is short or no base64.
func keepBlob(dir string, data []byte) (string, error) {
	if len(data) < blobSize {
		return "", nil
	}
	plain := make([]byte, base64.StdEncoding.DecodedLen(len(data)))
	n, err := base64.StdEncoding.Strict().Decode(plain, data)
	if err != nil {
		return "", nil //nolint:nilerr // it is some other text
	}
	sum := sha256.Sum256(plain[:n])
	hash := hex.EncodeToString(sum[:])
	name := filepath.Join(dir, BlobsName, hash)
	if info, err := os.Stat(name); err == nil && info.Size() == int64(n) {
		return hash, nil
	}
	return hash, plainfile.Replace(name, plain[:n])
}

// restore puts the data of the blobs back into a line. The data of one that is not there, or whose content has changed,
// becomes empty, and missing has its hash.
func restore(dir string, line []byte, hashes []string) (whole []byte, missing []string) {
	for _, hash := range hashes {
		ref := append(append(bytes.Clone(dataKey), blobPrefix...), hash...)
		before, after, ok := bytes.Cut(line, ref)
		if !ok {
			continue
		}
		data, err := ReadBlob(dir, hash)
		if err != nil {
			missing = append(missing, hash)
		}
		whole := make([]byte, 0, len(line)+base64.StdEncoding.EncodedLen(len(data)))
		whole = append(append(whole, before...), dataKey...)
		whole = base64.StdEncoding.AppendEncode(whole, data)
		line = append(whole, after...)
	}
	return line, missing
}

// ErrBlob means that the data of an image or a document is not there, or is not what was stored.
var ErrBlob = errors.New("the data of an image or a document is missing or has changed")

// ReadBlob returns the data of a blob of the session in dir.
func ReadBlob(dir, hash string) ([]byte, error) {
	if !blobHash().MatchString(hash) {
		return nil, fmt.Errorf("%w: %q", ErrBlob, hash)
	}
	data, err := os.ReadFile(filepath.Join(dir, BlobsName, hash))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrBlob, hash)
	}
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != hash {
		return nil, fmt.Errorf("%w: %s", ErrBlob, hash)
	}
	return data, nil
}
