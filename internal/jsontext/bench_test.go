package jsontext

import (
	"bytes"
	"strings"
	"testing"
)

func BenchmarkObject(b *testing.B) {
	code := strings.Repeat(`func main() {\n\tfmt.Println(\"héllo\", x)\n}\n`, 1<<10)
	valid := []byte(`{"path":"a.go","content":"` + code + `","n":5}`)
	for _, row := range []struct {
		name  string
		input []byte
	}{
		{"valid/small", []byte(`{"path":"internal/server/handler.go","offset":120,"limit":80}`)},
		{"valid/64KiB", valid},
		{"broken/small", []byte(`{'path':'internal/server/handler.go', offset:120,}`)},
		{"broken/64KiB", bytes.Replace(valid, []byte(`,"n":5}`), []byte(`,"n":5,}`), 1)},
	} {
		b.Run(row.name, func(b *testing.B) {
			b.SetBytes(int64(len(row.input)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Object(row.input, RepairOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	big := []byte(`{"l":[` + strings.Repeat(`{"a":"`+strings.Repeat("x", 100)+`","b":[1,2,3,],},`, 1<<19) + `]}`)
	b.Run("broken/64MiB", func(b *testing.B) {
		b.SetBytes(int64(len(big)))
		for b.Loop() {
			if _, err := Object(big, RepairOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
