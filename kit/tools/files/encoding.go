package files

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unicode/utf16"

	"rein/tool"
)

// utf16BOM reports whether a file starts like UTF-16 text.
func utf16BOM(head []byte) bool {
	return len(head) >= 2 && (head[0] == 0xff && head[1] == 0xfe && !bytes.HasPrefix(head, []byte("\xff\xfe\x00\x00")) || head[0] == 0xfe && head[1] == 0xff)
}

// fromUTF16 decodes text that starts with a byte order mark.
func fromUTF16(data []byte) []byte {
	var order binary.ByteOrder = binary.LittleEndian
	if data[0] == 0xfe {
		order = binary.BigEndian
	}
	units := make([]uint16, 0, len(data)/2)
	for data = data[2:]; len(data) >= 2; data = data[2:] {
		units = append(units, order.Uint16(data))
	}
	return []byte(string(utf16.Decode(units)))
}

// binaryFile is the refusal of a file that is not text.
func binaryFile(path string, head []byte, size int64) error {
	what := "a binary file"
	for _, m := range []struct{ start, name string }{
		{"\x89PNG", "a PNG image"}, {"\xff\xd8\xff", "a JPEG image"}, {"GIF8", "a GIF image"}, {"RIFF", "a media file"},
		{"%PDF", "a PDF document"}, {"PK\x03\x04", "a zip archive (or a document made of one)"}, {"\x1f\x8b", "a gzip file"},
		{"\x7fELF", "a program (ELF)"}, {"MZ", "a program (Windows)"}, {"SQLite format 3", "an SQLite database"},
	} {
		if bytes.HasPrefix(head, []byte(m.start)) {
			what = m.name
			break
		}
	}
	return &tool.Error{Kind: tool.Unsupported, Text: fmt.Sprintf("%q is %s of %s, not text", path, what, tool.SizeText(size)),
		Hint: "Use bash with a program that reads this format."}
}
