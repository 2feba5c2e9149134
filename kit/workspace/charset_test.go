package workspace

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
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

// Each line alone is enough to know its encoding.
func TestOneLineIsEnough(t *testing.T) {
	for name, row := range map[string]struct {
		enc   encoding.Encoding
		lines string
	}{
		"GBK":          {simplifiedchinese.GBK, "错误的文件类型\n无法打开目录\n请输入您的姓名\n加载完成\n数据库连接失败，请稍后重试\n取消\n返回值"},
		"Big5":         {traditionalchinese.Big5, "錯誤的檔案類型\n無法開啟目錄\n請輸入您的姓名\n資料庫連線失敗，請稍後重試\n取消\n未知錯誤"},
		"Shift_JIS":    {japanese.ShiftJIS, "ファイルを開く\n設定の保存\n初期化処理\n戻り値\n引数\n接続に失敗しました"},
		"EUC-JP":       {japanese.EUCJP, "ファイルを開く\n設定の保存\n戻り値\n接続に失敗しました\n合計を計算する"},
		"EUC-KR":       {korean.EUCKR, "파일을 찾을 수 없습니다\n설정\n저장 완료\n비밀번호가 올바르지 않습니다\n오류"},
		"KOI8-R":       {charmap.KOI8R, "Ошибка: файл не найден\nСохранить изменения?\nДа\nимя"},
		"Windows-1251": {charmap.Windows1251, "Ошибка: файл не найден\nСохранить изменения?\nДа\n№ заказа\nВася Пупкин, г. Москва, ул. Ленина, д. 5"},
		"Windows-1252": {charmap.Windows1252, "Größe\nStraße\n§ 5\n20 °C\nla neige tombait à gros flocons\nTromsø, Ålesund\n“quoted” isn’t\n£5 – about €6\nÜBERGRÖSSE"},
	} {
		for line := range strings.SplitSeq(row.lines, "\n") {
			if text, c, err := DecodeText(encoded(t, row.enc, line)); err != nil || c.Name != name || text != line {
				t.Errorf("%q in %s: got %q in %s, %v", line, name, text, c, err)
			}
		}
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
