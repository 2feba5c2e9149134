package document

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/ledongthuc/pdf"
	"golang.org/x/text/unicode/norm"
)

// readPDF reads a PDF without the help of a program. The library is slow on some hostile files, and knows less about fonts
// than pdftotext.
func readPDF(file io.ReaderAt, size int64, w Window) (text Text, err error) {
	defer func() { // the library panics on damaged files
		if p := recover(); p != nil {
			err = fmt.Errorf("the PDF is damaged: %v", p)
		}
	}()
	r, err := pdf.NewReader(file, size)
	if err != nil {
		return Text{}, fmt.Errorf("the PDF cannot be read: %w", err)
	}
	pages := r.NumPage()
	const most = 1 << 20
	if pages < 0 || pages > most {
		return Text{}, fmt.Errorf("the PDF is damaged: it has %d pages", pages)
	}
	o := NewOutput("pdf", w)
	first, last := o.Units("page", pages)
	letters := Letters{}
	for i := first; i <= last; i++ {
		content, err := r.Page(i).GetPlainText(nil)
		if err != nil {
			return Text{}, fmt.Errorf("page %d cannot be read: %w", i, err)
		}
		content = norm.NFKC.String(content) // ligatures are several letters
		letters.Add(content)
		if o.Page(i, content) != nil {
			break
		}
	}
	letters.Judge(o)
	return o.Text(), nil
}

// Page adds the text of a page, below its number.
func (o *Output) Page(n int, text string) error {
	if err := o.Add(fmt.Sprintf("--- page %d ---", n)); err != nil {
		return err
	}
	return o.Add(strings.Trim(text, "\n"))
}

// Letters counts what the text of a PDF is made of: scanned pages have no text, and fonts without names give garbage.
type Letters struct{ all, odd int }

// Add counts the characters of a page.
func (l *Letters) Add(text string) {
	for _, c := range text {
		switch {
		case unicode.IsSpace(c):
		case unicode.IsControl(c) || c == unicode.ReplacementChar || unicode.Is(unicode.Co, c):
			l.odd++
			l.all++
		default:
			l.all++
		}
	}
}

// Judge notes what is wrong with the text.
func (l *Letters) Judge(o *Output) {
	switch {
	case l.all == 0:
		o.Note("these pages have no text: they may be scanned. view_image shows a page as an image")
	case l.odd*20 > l.all:
		o.Note("much of the text is unreadable: its fonts do not name their letters. view_image shows a page as an image")
	}
}
