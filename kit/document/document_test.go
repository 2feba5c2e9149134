package document

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// archived makes a zip file of pairs of names and contents.
func archived(t testing.TB, pairs ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(pairs); i += 2 {
		w, err := z.Create(pairs[i])
		if err == nil {
			_, err = w.Write([]byte(pairs[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const (
	relations = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">%s</Relationships>`
	word      = `<w:document xmlns:w="w"><w:body>%s</w:body></w:document>`
	slide     = `<p:sld xmlns:a="a" xmlns:p="p"><a:p><a:r><a:t>%s</a:t></a:r></a:p></p:sld>`
)

func docx(t testing.TB, body string) []byte {
	return archived(t, "[Content_Types].xml", "<x/>", "word/document.xml", fmt.Sprintf(word, body))
}

func xlsx(t testing.TB, rows string) []byte {
	return archived(t,
		"xl/workbook.xml", `<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Sales" r:id="a"/><sheet name="Other" r:id="b"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", fmt.Sprintf(relations, `<Relationship Id="a" Target="worksheets/one.xml"/><Relationship Id="b" Target="/xl/worksheets/two.xml"/>`),
		"xl/sharedStrings.xml", `<sst><si><t>Name</t></si><si><r><t>Zo</t></r><r><t>ë</t></r></si></sst>`,
		"xl/styles.xml", `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="[Red]0.00&quot;d&quot;"/><numFmt numFmtId="171" formatCode="dd.mm.yyyy hh:mm"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="171"/></cellXfs></styleSheet>`,
		"xl/worksheets/one.xml", `<worksheet><sheetData>`+rows+`</sheetData></worksheet>`,
		"xl/worksheets/two.xml", `<worksheet><sheetData><row r="1"><c r="A1"><v>7</v></c></row></sheetData></worksheet>`)
}

func pptx(t testing.TB) []byte {
	return archived(t,
		"ppt/presentation.xml", `<p xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sldIdLst><sldId r:id="x"/><sldId r:id="y"/></sldIdLst></p>`,
		"ppt/_rels/presentation.xml.rels", fmt.Sprintf(relations, `<Relationship Id="x" Target="slides/slide2.xml"/><Relationship Id="y" Target="slides/slide1.xml"/>`),
		"ppt/slides/slide1.xml", fmt.Sprintf(slide, "the end"), "ppt/slides/slide2.xml", fmt.Sprintf(slide, "the start"),
		"ppt/slides/_rels/slide2.xml.rels", fmt.Sprintf(relations, `<Relationship Id="n" Type="http://x/notesSlide" Target="../notesSlides/n.xml"/>`),
		"ppt/notesSlides/n.xml", fmt.Sprintf(slide, "say hello"))
}

func odt(t testing.TB, kind, body string) []byte {
	return archived(t, "mimetype", "application/vnd.oasis.opendocument."+kind,
		"content.xml", `<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="b"><office:body>`+body+`</office:body></office:document-content>`)
}

func epub(t testing.TB) []byte {
	return archived(t, "mimetype", "application/epub+zip",
		"META-INF/container.xml", `<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>`,
		"OEBPS/book.opf", `<package><manifest><item id="two" href="b%20b.xhtml"/><item id="one" href="a.xhtml"/></manifest><spine><itemref idref="one"/><itemref idref="two"/></spine></package>`,
		"OEBPS/a.xhtml", `<html><body><h1>First</h1><p>It was a dark night.</p></body></html>`,
		"OEBPS/b b.xhtml", `<html><body><p>It became day.</p></body></html>`)
}

// pdfFile is a PDF with a line of text on each page.
func pdfFile(lines ...string) []byte { return pdfNaming(len(lines), lines...) }

// pdfNaming is a PDF that names a number of pages.
func pdfNaming(pages int, lines ...string) []byte {
	var b bytes.Buffer
	var at []int
	object := func(text string) {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(at), text)
	}
	b.WriteString("%PDF-1.4\n")
	object("<</Type/Catalog/Pages 2 0 R>>")
	var kids []string
	for i := range lines {
		kids = append(kids, fmt.Sprintf("%d 0 R", 4+2*i))
	}
	object(fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]>>", pages, strings.Join(kids, " ")))
	object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>")
	for i, line := range lines {
		object(fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents %d 0 R/Resources<</Font<</F1 3 0 R>>>>>>", 5+2*i))
		content := fmt.Sprintf("BT /F1 12 Tf 72 700 Td (%s) Tj ET", line)
		object(fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(content), content))
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, offset := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, start)
	return b.Bytes()
}

func TestRead(t *testing.T) {
	paragraph := func(text string) string { return "<w:p><w:r><w:t>" + text + "</w:t></w:r></w:p>" }
	cell := func(text string) string { return "<w:tc>" + paragraph(text) + "</w:tc>" }
	for name, row := range map[string]struct {
		data []byte
		w    Window
		want string // the lines
		kind string
	}{
		"a Word file": {docx(t, `<w:p><w:pPr><w:pStyle w:val="Heading2"/></w:pPr><w:r><w:t>Plan</w:t></w:r></w:p>`+paragraph("Hello &amp; ")+
			`<w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>one</w:t><w:tab/><w:t>two</w:t></w:r><w:del><w:r><w:t>gone</w:t></w:r></w:del></w:p>`+
			`<w:tbl><w:tr>`+cell("a")+cell("b")+`</w:tr><w:tr>`+cell("")+cell("c")+`</w:tr></w:tbl>`+paragraph("end")), Window{},
			"## Plan\nHello &\n- one\ttwo\n| a | b |\n|  | c |\n\nend", "docx"},
		"a table in a table": {docx(t, `<w:tbl><w:tr><w:tc><w:tbl><w:tr>`+cell("in")+`</w:tr></w:tbl></w:tc>`+cell("out")+`</w:tr></w:tbl>`), Window{}, "| in | out |\n", "docx"},
		"a text box":         {docx(t, `<w:p><w:r><w:t>a</w:t></w:r>`+paragraph("box")+`<w:r><w:t>b</w:t></w:r></w:p>`), Window{}, "a\nbox\nb", "docx"},
		"a part of the lines": {docx(t, paragraph("1")+paragraph("2")+paragraph("3")+paragraph("4")), Window{Skip: 1, Lines: 2},
			"2\n3", "docx"},
		"a workbook": {xlsx(t, `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>in</t></is></c></row><row r="4"><c r="A4" t="s"><v>1</v></c><c r="B4"><v>0.30000000000000004</v></c><c r="C4" s="1"><v>45000</v></c><c r="D4" s="2"><v>45000</v></c><c r="E4" s="3"><v>45000.5</v></c><c r="F4" t="b"><v>1</v></c><c r="G4" t="s"><v>99</v></c></row><row r="5"><c r="A5"/></row>`),
			Window{Last: 1}, "--- sheet 1: Sales (row: cells from column A) ---\n1: Name |  | in\n4: Zoë | 0.3 | 2023-03-15 | 45000 | 2023-03-15 12:00:00 | TRUE | ?", "xlsx"},
		"the second sheet": {xlsx(t, ``), Window{First: 2, Last: 2}, "--- sheet 2: Other (row: cells from column A) ---\n1: 7", "xlsx"},
		"slides":           {pptx(t), Window{}, "--- slide 1 ---\nthe start\nNotes:\nsay hello\n--- slide 2 ---\nthe end", "pptx"},
		"OpenDocument": {odt(t, "text", `<text:h text:outline-level="2">Head</text:h><text:p>a<text:s text:c="3"/>b<text:tab/>c</text:p><text:list><text:list-item><text:p>item</text:p></text:list-item></text:list>`), Window{},
			"## Head\na   b\tc\n- item", "odt"},
		"an OpenDocument table": {odt(t, "spreadsheet", `<table:table><table:table-row><table:table-cell table:number-columns-repeated="2"><text:p>x</text:p></table:table-cell><table:table-cell table:number-columns-repeated="16000"/></table:table-row></table:table>`), Window{},
			"| x | x |\n", "ods"},
		"a book":        {epub(t), Window{}, "--- chapter 1 ---\n# First\n\nIt was a dark night.\n--- chapter 2 ---\nIt became day.", "epub"},
		"a PDF":         {pdfFile("Hello", "World"), Window{}, "--- page 1 ---\nHello\n--- page 2 ---\nWorld", "pdf"},
		"page 2 of it":  {pdfFile("Hello", "World"), Window{First: 2}, "--- page 2 ---\nWorld", "pdf"},
		"after its end": {pdfFile("Hello", "World"), Window{First: 9}, "", "pdf"},
		"a long line":   {docx(t, paragraph(strings.Repeat("word ", 300))), Window{}, strings.TrimSpace(strings.Repeat("word ", 200)) + "\n" + strings.TrimSpace(strings.Repeat("word ", 100)), "docx"},
		"no text":       {docx(t, ""), Window{}, "", "docx"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Read(bytes.NewReader(row.data), int64(len(row.data)), row.w)
			if lines := strings.Join(got.Lines, "\n"); err != nil || lines != row.want || got.Kind != row.kind {
				t.Errorf("got %s %q, want %q, %v", got.Kind, lines, row.want, err)
			}
		})
	}
}

func TestHostileDocuments(t *testing.T) {
	zeros := strings.Repeat("\x00", 1<<20)
	bomb := func(name, before, piece string, times int) []byte {
		return archived(t, "[Content_Types].xml", "", name, before+strings.Repeat(piece, times))
	}
	many := make([]string, 0, 2*mostEntries+4)
	for i := range mostEntries + 1 {
		many = append(many, fmt.Sprint(i), "")
	}
	for name, row := range map[string]struct {
		data []byte
		says string
	}{
		"a zip bomb":                                  {bomb("word/document.xml", "<a>", "<b>"+strings.Repeat(" ", 1<<20)+"</b>", 260), "unpacks to more than"},
		"a bomb in the shared strings":                {append(xlsx(t, "")[:0:0], archived(t, "xl/workbook.xml", "<w/>", "xl/_rels/workbook.xml.rels", "<r/>", "xl/sharedStrings.xml", "<sst>"+strings.Repeat("<si><t>"+strings.Repeat("x", 1<<20)+"</t></si>", 65))...), "more texts"},
		"a bomb of nulls":                             {bomb("word/document.xml", "", zeros, 3), "damaged"},
		"elements that nest for ever":                 {bomb("word/document.xml", "", "<a>", 100_000), "nested more than"},
		"10,001 files":                                {archived(t, many...), "the limit is"},
		"a zip archive":                               {archived(t, "a.txt", "hello"), "no document"},
		"an entity":                                   {bomb("word/document.xml", `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><w:p><w:t>&x;</w:t></w:p>`, "", 1), "damaged"},
		"half of a file":                              {docx(t, "<w:p/>")[:60], "damaged"},
		"a PDF without anything":                      {[]byte("%PDF-1.4\n"), "cannot be read"},
		"a PDF that is cut off":                       {pdfFile("a")[:200], "cannot be read"},
		"a PDF that names 10^9 pages":                 {pdfNaming(1_000_000_000, "a"), "1000000000 pages"},
		"slides without relations":                    {archived(t, "ppt/presentation.xml", "<p/>"), "damaged"},
		"a book that leads out of it":                 {archived(t, "META-INF/container.xml", `<c><rootfiles><rootfile full-path="../../etc/passwd"/></rootfiles></c>`), "damaged"},
		"the start of a zip archive the end of a zip": {[]byte("PK\x03\x04 nothing"), "damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			_, err := Read(bytes.NewReader(row.data), int64(len(row.data)), Window{})
			if err == nil || !strings.Contains(err.Error(), row.says) {
				t.Errorf("got %v, want %q", err, row.says)
			}
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

// What is unpacked counts, whatever the headers say, over all files of a document.
func TestZipBomb(t *testing.T) {
	piece := strings.Repeat(" ", 16<<20)
	var pairs []string
	for i := range mostUnpacked/len(piece) + 1 {
		pairs = append(pairs, fmt.Sprint(i), piece)
	}
	data := archived(t, pairs...)
	z, err := openZip(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range len(pairs) / 2 {
		r, err := z.open(fmt.Sprint(i))
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.Copy(io.Discard, r)
		if last := i == len(pairs)/2-1; last != errors.Is(err, errBomb) || z.unpacked > mostUnpacked+1<<20 {
			t.Errorf("file %d: %d bytes, %v", i, n, err)
		}
	}
}

// A window of a large workbook does not read all of it.
func TestAWindowIsQuick(t *testing.T) {
	var rows strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&rows, `<row r="%d"><c><v>%d</v></c><c><v>2</v></c></row>`, i+1, i)
	}
	data := xlsx(t, rows.String())
	start := time.Now()
	got, err := Read(bytes.NewReader(data), int64(len(data)), Window{Lines: 10})
	if err != nil || len(got.Lines) != 10 || !got.More || got.Units != 2 {
		t.Errorf("%d lines, more: %t, %v", len(got.Lines), got.More, err)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestServe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.docx")
	if err := os.WriteFile(name, docx(t, "<w:p><w:t>hi</w:t></w:p>"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var out bytes.Buffer
	var a Answer
	if err := Serve(`{"lines":5}`, file, &out); err != nil || json.Unmarshal(out.Bytes(), &a) != nil || len(a.Lines) != 1 || a.Lines[0] != "hi" {
		t.Errorf("%s, %v", out.Bytes(), err)
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range [][]byte{docx(f, "<w:p><w:t>a</w:t></w:p>"), xlsx(f, `<row><c><v>1</v></c></row>`), pptx(f), epub(f), odt(f, "text", "<text:p>a</text:p>")} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if IsPDF(data) {
			return // its library is bounded from outside only
		}
		got, err := Read(bytes.NewReader(data), int64(len(data)), Window{})
		if err == nil && len(strings.Join(got.Lines, "\n")) > MostBytes {
			t.Error("more than the window")
		}
	})
}
