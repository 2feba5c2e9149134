package workspace

import (
	"bytes"
	"errors"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

func encoded(t *testing.T, e encoding.Encoding, text string) []byte {
	t.Helper()
	b, err := e.NewEncoder().Bytes([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const (
	chinese  = "// 读取配置文件并返回其内容\nfunc read() string {\n\treturn \"配置文件不存在，请检查路径\" // 错误信息\n}\n"
	nippon   = "// 設定ファイルを読み込みます。\nfunc read() string {\n\treturn \"ファイルが見つかりません\" // エラー\n}\n"
	occident = "# Größe der Übersicht, für Gäste\nname = \"Café Müller\"\n"
)

func TestDecodeKnowsTheEncodings(t *testing.T) {
	for _, row := range []struct {
		rule string
		data []byte
		text string
		name string
	}{
		{"UTF-8", []byte(chinese), chinese, "UTF-8"},
		{"UTF-8 with a mark keeps it in the text", []byte("\ufeffa\n"), "\ufeffa\n", "UTF-8"},
		{"UTF-16 little endian with a mark", append([]byte{0xff, 0xfe}, encoded(t, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), nippon)...), nippon, "UTF-16LE"},
		{"UTF-16 big endian with a mark", append([]byte{0xfe, 0xff}, encoded(t, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), occident)...), occident, "UTF-16BE"},
		{"UTF-16 without a mark", encoded(t, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "plain text here\n"), "plain text here\n", "UTF-16LE"},
		{"GBK", encoded(t, simplifiedchinese.GBK, chinese), chinese, "GBK"},
		{"Shift_JIS", encoded(t, japanese.ShiftJIS, nippon), nippon, "Shift_JIS"},
		{"Latin-1", encoded(t, charmap.ISO8859_1, occident), occident, "Windows-1252"},
	} {
		t.Run(row.rule, func(t *testing.T) {
			text, c, err := DecodeText(row.data)
			if err != nil || text != row.text || c.String() != row.name {
				t.Fatalf("got %q in %s, %v", text, c, err)
			}
			back, err := c.Encode(text)
			if err != nil || !bytes.Equal(back, row.data) {
				t.Fatalf("written back as %x, %v; want %x", back, err, row.data)
			}
		})
	}
}

func TestHintsDecideAGuess(t *testing.T) {
	short := encoded(t, simplifiedchinese.GBK, "x = \"错误\"\n")
	text, _, err := DecodeText(short, "x = \"错误\"")
	if err != nil || text != "x = \"错误\"\n" {
		t.Fatalf("got %q, %v", text, err)
	}
}

func TestBinaryIsRefused(t *testing.T) {
	for _, data := range []string{"\x89PNG\r\n\x1a\n\x00\x00", "a\x00b", "\xff\xfe\x00\x00a\x00\x00\x00", "\x01\x02\xff\xfa"} {
		if _, _, err := DecodeText([]byte(data)); !errors.Is(err, ErrBinary) {
			t.Errorf("%q: %v", data, err)
		}
	}
}

func TestACharacterThatTheCharsetLacksIsNamed(t *testing.T) {
	_, c, err := DecodeText(encoded(t, charmap.ISO8859_1, occident))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Encode("错"); err == nil || err.Error() != `Windows-1252, the file's encoding, has no '错' (U+9519)` {
		t.Fatal(err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(occident), "Größe")
	f.Add([]byte("\xb4\xed\xce\xf3"), "错误")
	f.Add([]byte{0xff, 0xfe, 0x41, 0, 0xd8, 0xd8}, "")
	f.Fuzz(func(t *testing.T, data []byte, hint string) {
		text, c, err := DecodeText(data, hint)
		if err != nil {
			return
		}
		back, err := c.Encode(text)
		if err != nil || !bytes.Equal(back, data) {
			t.Fatalf("%x came back as %x, %v (%s)", data, back, err, c)
		}
	})
}
