package files

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

// A file in another encoding is shown decoded, found by its words, and stays in its encoding when it is written or edited.
func TestEncodingsAreTheSameForAllTools(t *testing.T) {
	wide := func(e unicode.Endianness, mark unicode.BOMPolicy) encoding.Encoding { return unicode.UTF16(e, mark) }
	for _, row := range []struct {
		name, text, word, added string
		enc                     encoding.Encoding
	}{
		{"GBK", "这个文件的内容是中文，请不要修改。\n价格是一百元\n", "价格", "数量是二十", simplifiedchinese.GBK},
		{"Shift_JIS", "このファイルは日本語で書かれています。\n値段は百円です\n", "値段", "数は二十です", japanese.ShiftJIS},
		{"Windows-1252", "Le café est à l'été.\nUn prix élevé\n", "élevé", "naïveté", charmap.Windows1252},
		{"UTF-16LE", "wide words, with ä\nprice: ten\n", "price", "count: ö", wide(unicode.LittleEndian, unicode.UseBOM)},
		{"UTF-16BE", "wide words, with ä\nprice: ten\n", "price", "count: ö", wide(unicode.BigEndian, unicode.UseBOM)},
		{"UTF-16LE", "wide words without a mark\nprice: ten\n", "price", "count: two", wide(unicode.LittleEndian, unicode.IgnoreBOM)},
	} {
		for _, size := range []string{"small", "large", "larger than a buffer"} {
			t.Run(row.name+" "+size, func(t *testing.T) {
				r := newRoom(t)
				spell := func(text string) string {
					t.Helper()
					out, err := row.enc.NewEncoder().String(text)
					r.must(err)
					return out
				}
				text := row.text
				if size != "small" {
					text = strings.Repeat(strings.SplitAfter(text, "\n")[0], 2000*(len(size)/5)) + row.text
				}
				r.put("f.txt", spell(text))
				total := strings.Count(text, "\n")
				want := fmt.Sprintf("note: the file is %[1]s; it is shown as UTF-8, and stays %[1]s when it is edited or written\n%6d\t%[3]s\n", row.name, total, strings.Split(row.text, "\n")[1])
				if got := r.call("read_file", args("path", "f.txt", "offset", -1)); !strings.HasPrefix(got, want) {
					t.Errorf("shown\n%s\nwant\n%s", got, want)
				}
				if got, want := r.call("grep", args("pattern", row.word)), fmt.Sprintf("f.txt\n%5d: %s\n", total, strings.Split(row.text, "\n")[1]); got != want {
					t.Errorf("found\n%s\nwant\n%s", got, want)
				}
				if size != "small" {
					return
				}
				r.call("read_file", args("path", "f.txt"))
				r.call("write_file", args("path", "f.txt", "content", row.text+row.added+"\n"))
				if got := r.get("f.txt"); got != spell(row.text+row.added+"\n") {
					t.Errorf("written as %q", got)
				}
				r.call("edit_file", args("path", "f.txt", "old_text", row.added, "new_text", row.word))
				if got := r.get("f.txt"); got != spell(row.text+row.word+"\n") {
					t.Errorf("edited to %q", got)
				}
			})
		}
	}
	r := newRoom(t)
	r.put("late.txt", strings.Repeat("only ASCII in this line of the file\n", 300)+"caf\xe9\n")
	if got := r.call("read_file", args("path", "late.txt", "offset", 301)); !strings.Contains(got, "   301\tcafé\n") {
		t.Errorf("letters that come late: %s", got)
	}
	r.put("gbk.txt", "\xd5\xe2\xb8\xf6\xce\xc4\xbc\xfe\xb5\xc4\xc4\xda\xc8\xdd\xca\xc7\xd6\xd0\xce\xc4\n")
	r.call("read_file", args("path", "gbk.txt"))
	if got := r.call("write_file", args("path", "gbk.txt", "content", "这个文件 🙂\n")); !strings.HasPrefix(got, "unsupported: GBK, the file's encoding, has no '🙂'") {
		t.Errorf("a character that the encoding has not: %s", got)
	}
}

func TestANotebookIsShownByItsCells(t *testing.T) {
	r := newRoom(t)
	more := `,
  {"cell_type": "code", "metadata": {}, "source": "1/0", "outputs": [
   {"output_type": "error", "ename": "ZeroDivisionError", "evalue": "division by zero", "traceback": ["\u001b[0;31mZeroDivisionError\u001b[0m: division by zero"]},
   {"output_type": "display_data", "data": {"image/png": "aGVsbG8=", "text/plain": ["<Figure>"]}}]}
 ],
 "metadata"`
	r.put("a.ipynb", strings.Replace(sample, "\n ],\n \"metadata\"", more, 1))
	want := `note: the notebook is shown cell by cell; change it with notebook_edit
     1	── cell 0: markdown, id intro
     2	# Title
     3	text
     4	── cell 1: code, id load
     5	print("hello")
     6	── output
     7	hello
     8	── cell 2: code
     9	1/0
    10	── output
    11	ZeroDivisionError: division by zero
    12	── output
    13	<Figure>
    14	(not shown: image/png)
`
	if got := r.call("read_file", args("path", "a.ipynb")); got != want {
		t.Errorf("shown\n%s", got)
	}
	if got := r.call("read_file", args("path", "a.ipynb", "offset", 5, "end_line", 5)); !strings.Contains(got, "     5\tprint(\"hello\")\n(lines 5 to 5 of 14; read on with offset 6)") {
		t.Errorf("a part of it\n%s", got)
	}
	r.put("broken.ipynb", "{\"cells\": 3}\n")
	if got := r.call("read_file", args("path", "broken.ipynb")); got != "     1\t{\"cells\": 3}\n" {
		t.Errorf("no notebook\n%s", got)
	}
}

func TestGrepOverLines(t *testing.T) {
	r := newRoom(t)
	r.put("a.go", "package a\n\nfunc A() {\n\treturn\n}\n\nfunc B() {\n\tx()\n}\n")
	r.put("crlf.go", "func C() {\r\n\treturn\r\n}\r\n")
	r.put("large.go", strings.Repeat("// a line of words that fill the file\n", 5000)+"func D() {\n\treturn\n}\n")
	rows := []struct{ rule, args, want string }{
		{"each match has its lines", args("pattern", `func A\(\) \{\n\treturn\n`, "multiline", true, "path", "a.go"), "a.go\n    3: func A() {\n    4: \treturn\n"},
		{"a line break is as good as any character", args("pattern", `\{..return.\}`, "multiline", true, "glob", "*.go"), "a.go\n    3: func A() {\n    4: \treturn\n    5: }\n\ncrlf.go\n    1: func C() {\n    2: \treturn\n    3: }\n\nlarge.go\n 5001: func D() {\n 5002: \treturn\n 5003: }\n"},
		{"lines begin and end", args("pattern", `^func B.*?^\}$`, "multiline", true, "path", "a.go"), "a.go\n    7: func B() {\n    8: \tx()\n    9: }\n"},
		{"with context", args("pattern", `A.*?return`, "multiline", true, "path", "a.go", "context", 1), "a.go\n    2- \n    3: func A() {\n    4: \treturn\n    5- }\n"},
		{"counted", args("pattern", `func \w+\(\) \{\n`, "multiline", true, "output_mode", "count", "path", "a.go"), "a.go: 2\n"},
		{"plain text", args("pattern", "return\n}", "multiline", true, "fixed", true, "path", "a.go"), "a.go\n    4: \treturn\n    5: }\n"},
		{"without it a line break is refused", args("pattern", `A\n`), "bad_arguments: the search works line by line, so a line break matches nothing | Send multiline: true, or search for one of the lines, with context."},
	}
	for _, row := range rows {
		if got := r.call("grep", row.args); got != row.want {
			t.Errorf("%s:\n%s\nwant\n%s", row.rule, got, row.want)
		}
	}
}

// A long result is read page by page: the pages together are the whole, and nothing is twice.
func TestGrepInPages(t *testing.T) {
	r := newRoom(t)
	for i := range 7 {
		r.put(fmt.Sprintf("f%d.txt", i), strings.Repeat("hit\nmiss\n", 5))
	}
	for name, mode := range map[string]string{"lines": "content", "files": "files"} {
		seen, total := map[string]bool{}, 35
		if mode == "files" {
			total = 7
		}
		for offset := 0; offset < total; offset += 4 {
			got, file := r.call("grep", args("pattern", "hit", "output_mode", mode, "limit", 4, "offset", offset)), ""
			if more := fmt.Sprintf("or read on with offset %d)", offset+4); offset+4 < total && !strings.Contains(got, more) {
				t.Errorf("%s from %d: %s", name, offset, got)
			}
			for line := range strings.Lines(got) {
				if line = strings.TrimSpace(line); strings.HasPrefix(line, "f") {
					file = line
				}
				if key := file + line; strings.HasSuffix(line, ": hit") || mode == "files" && strings.HasPrefix(line, "f") {
					if seen[key] {
						t.Errorf("%s: %s is there twice", name, key)
					}
					seen[key] = true
				}
			}
		}
		if len(seen) != total {
			t.Errorf("%s: %d of %d", name, len(seen), total)
		}
	}
	if got := r.call("grep", args("pattern", "hit", "offset", 99)); !strings.Contains(got, "fewer matches than offset") {
		t.Errorf("behind the end: %s", got)
	}
}
