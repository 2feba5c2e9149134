package journal

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/event"
	"rein/tool"
)

func picture(n int, seed byte) string {
	return base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{seed, 2, 3}, n/3))
}

func TestLargeDataLiesBesideTheJournal(t *testing.T) {
	large, other, small := picture(30_000, 1), picture(30_000, 9), picture(300, 1)
	hash := strings.Repeat("a", 64)
	for name, row := range map[string]struct {
		message string
		blobs   int
	}{
		"an image":                       {`{"role":"user","parts":[{"kind":"image","data":"` + large + `"}]}`, 1},
		"two images":                     {`{"parts":[{"data":"` + large + `"},{"data":"` + other + `","x":1}]}`, 2},
		"one image twice":                {`{"parts":[{"data":"` + large + `"},{"data":"` + large + `"}]}`, 1},
		"a small image stays":            {`{"parts":[{"data":"` + small + `"}]}`, 0},
		"large text that is no base64":   {`{"data":"` + strings.Repeat("x y ", 9000) + `"}`, 0},
		"base64 that is not canonical":   {`{"data":"` + large[:len(large)-4] + `AAB="}`, 0},
		"a text that looks like a key":   {`{"text":"\"data\":\"` + large + `"}`, 0},
		"a text that ends like one":      {`{"a\"data":"` + large + `","data":"` + other + `"}`, 1},
		"a reference by a model":         {`{"data":"blob:` + hash + `","x":{"data":"` + large + `"}}`, 0},
		"a large text and then an image": {`{"text":"` + strings.Repeat("x", 9000) + `","data":"` + large + `"}`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			f := open(t, dir)
			result := &tool.Result{Text: "t"}
			if err := f.Append(event.Event{Kind: event.Prompted, Message: json.RawMessage(row.message), Result: result}); err != nil {
				t.Fatal(err)
			}
			files, _ := os.ReadDir(filepath.Join(dir, BlobsName))
			if len(files) != row.blobs {
				t.Errorf("%d blobs, want %d", len(files), row.blobs)
			}
			text, _ := os.ReadFile(filepath.Join(dir, FileName))
			if row.blobs > 0 && bytes.Contains(text, []byte(large)) && !strings.Contains(row.message, `\"data`) && !strings.Contains(row.message, `a\"`) {
				t.Error("the journal still has the data")
			}
			for e, err := range Read(filepath.Join(dir, FileName)) {
				if err != nil || string(e.Message) != row.message || e.Blobs != nil {
					t.Errorf("read %.200s, %v", e.Message, err)
				}
			}
		})
	}
}

func TestDataThatIsMissingOrChangedIsReported(t *testing.T) {
	for name, spoil := range map[string]func(string) error{
		"missing": os.Remove,
		"changed": func(name string) error { return os.WriteFile(name, []byte("other"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			f := open(t, dir)
			message := `{"parts":[{"data":"` + picture(30_000, 1) + `"}]}`
			if err := f.Append(event.Event{Kind: event.Prompted, Message: json.RawMessage(message)}); err != nil {
				t.Fatal(err)
			}
			blobs, _ := filepath.Glob(filepath.Join(dir, BlobsName, "*"))
			if err := spoil(blobs[0]); err != nil {
				t.Fatal(err)
			}
			var kinds []event.Kind
			for e, err := range Read(filepath.Join(dir, FileName)) {
				if err != nil {
					t.Fatal(err)
				}
				kinds = append(kinds, e.Kind)
				if e.Kind == event.Prompted && string(e.Message) != `{"parts":[{"data":""}]}` {
					t.Errorf("the message is %s", e.Message)
				}
			}
			if len(kinds) != 2 || kinds[1] != event.Notice {
				t.Errorf("read %v", kinds)
			}
			if _, err := ReadBlob(dir, filepath.Base(blobs[0])); !errors.Is(err, ErrBlob) {
				t.Errorf("the blob gives %v", err)
			}
		})
	}
}

func TestSecretsAreHiddenBeforeDataIsStored(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	secret := picture(300, 7)
	f.Mask = func(line []byte) []byte {
		return bytes.ReplaceAll(line, []byte(secret), []byte(strings.Repeat("A", len(secret))))
	}
	message := `{"parts":[{"data":"` + picture(30_000, 1) + secret + `"}]}`
	if err := f.Append(event.Event{Kind: event.Prompted, Message: json.RawMessage(message)}); err != nil {
		t.Fatal(err)
	}
	blobs, _ := filepath.Glob(filepath.Join(dir, BlobsName, "*"))
	if len(blobs) != 1 {
		t.Fatal(blobs)
	}
	data, err := os.ReadFile(blobs[0])
	if err != nil || strings.Contains(base64.StdEncoding.EncodeToString(data), secret) {
		t.Errorf("the blob has the secret (%v)", err)
	}
}
