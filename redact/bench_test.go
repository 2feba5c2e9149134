package redact

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// corpus is a few megabytes of source text.
func corpus(b *testing.B) []byte {
	files, err := filepath.Glob(filepath.Join(goSource(b), "net", "http", "*.go"))
	if err != nil || len(files) == 0 {
		b.Fatal("no source", err)
	}
	var all bytes.Buffer
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		all.Write(text)
	}
	return all.Bytes()
}

func values(n int) []Value {
	var list []Value
	for i := range n {
		list = append(list, Value{Name: "V", Text: sample(alnum, 32, uint64(i))})
	}
	return list
}

func BenchmarkWriter(b *testing.B) {
	source := corpus(b)
	log := bytes.Repeat([]byte("2026-11-21T00:00:00Z INFO request served path=/index.html status=200 bytes=5124 took=1.2ms\n"), 20000)
	for _, row := range []struct {
		name string
		text []byte
		n    int
	}{{"source", source, 0}, {"source, 20 values", source, 20}, {"log", log, 20}, {"zeros", make([]byte, 4<<20), 20},
		{"worst", []byte(strings.Repeat("token:eyJ-sk-://", 100000)), 20}} {
		f := New(values(row.n))
		b.Run(row.name, func(b *testing.B) {
			b.SetBytes(int64(len(row.text)))
			for b.Loop() {
				w := f.Writer(io.Discard)
				for rest := row.text; len(rest) > 0; {
					n := min(len(rest), 32<<10)
					w.Write(rest[:n])
					rest = rest[n:]
				}
				w.Flush()
			}
		})
	}
}

func BenchmarkString(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		text := string(corpus(b)[:n])
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(n))
			for b.Loop() {
				(*Filter)(nil).String(text)
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	list := values(20)
	for b.Loop() {
		New(list)
	}
}
