package files

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"

	"rein/kit/workspace"
	"rein/tool"
)

// utf16BOM reports whether a file starts like UTF-16 text.
func utf16BOM(head []byte) bool {
	return len(head) >= 2 && (head[0] == 0xff && head[1] == 0xfe && !bytes.HasPrefix(head, []byte("\xff\xfe\x00\x00")) || head[0] == 0xfe && head[1] == 0xff)
}

// foreign reports whether the start of a file looks like text that is not UTF-8. An ending letter that is cut off is none.
func foreign(head []byte) bool {
	if workspace.IsBinary(head) {
		_, set, err := workspace.DecodeText(head[:len(head)&^1])
		return utf16BOM(head) || err == nil && !set.UTF8()
	}
	for n := 0; n < utf8.UTFMax && len(head) > 0 && !utf8.Valid(head); n++ {
		if last := head[len(head)-1]; last < utf8.RuneSelf {
			break
		}
		head = head[:len(head)-1]
	}
	return !utf8.Valid(head) && !mostlyUTF8(head)
}

// mostlyUTF8 reports whether text is UTF-8 with some bytes that are not: another encoding would spoil all the rest.
func mostlyUTF8(data []byte) bool {
	good, bad := 0, 0
	for len(data) > 0 {
		c, size := utf8.DecodeRune(data)
		switch {
		case c == utf8.RuneError && size == 1:
			bad++
		case c >= utf8.RuneSelf:
			good++
		}
		data = data[size:]
	}
	return good > bad
}

// decoded returns the text of a file that is not UTF-8 in UTF-8, and its encoding, as edit_file reads it. ok is false for UTF-8,
// and for what is not text.
func decoded(data []byte) (text []byte, set workspace.Charset, ok bool) {
	if !workspace.IsBinary(data) && (utf8.Valid(data) || mostlyUTF8(data)) {
		return nil, set, false
	}
	read, set, err := workspace.DecodeText(data)
	switch {
	case err == nil && !set.UTF8():
		return []byte(read), set, true
	case utf16BOM(data): // with characters that UTF-16 has not
		return fromUTF16(data), workspace.Charset{Name: "UTF-16"}, true
	}
	return nil, set, false
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
