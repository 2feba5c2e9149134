package web

import (
	"slices"
	"strings"
	"time"
)

const (
	pageBytes    = 24 << 10 // of one page of a long text; less than a reply keeps
	pagesKept    = 32
	pagesBytes   = 16 << 20
	pagesFresh   = 15 * time.Minute
	pageSlackDiv = 4 // a page may end up to a quarter early, at the end of a paragraph or line
)

// webPage is a text that was fetched.
type webPage struct {
	key     string // URL and form
	url     string // after redirects
	host    string
	title   string
	text    string
	notes   []string
	fetched time.Time
}

// pages keeps the texts that were fetched last, the latest at the end. Only one goroutine may use it at a time.
type pages struct {
	list []webPage
	size int
}

func (p *pages) get(key string, now time.Time) (webPage, bool) {
	for i, page := range p.list {
		if page.key != key {
			continue
		}
		p.list = slices.Delete(p.list, i, i+1)
		if now.Sub(page.fetched) > pagesFresh {
			p.size -= len(page.text)
			return webPage{}, false
		}
		p.list = append(p.list, page)
		return page, true
	}
	return webPage{}, false
}

func (p *pages) put(page webPage) {
	p.list = slices.DeleteFunc(p.list, func(old webPage) bool {
		if old.key == page.key {
			p.size -= len(old.text)
		}
		return old.key == page.key
	})
	p.list = append(p.list, page)
	p.size += len(page.text)
	for len(p.list) > pagesKept || p.size > pagesBytes && len(p.list) > 1 {
		p.size -= len(p.list[0].text)
		p.list = slices.Delete(p.list, 0, 1)
	}
}

// paged splits a text into pages. A page ends with a paragraph or with a line, if possible.
func paged(text string) []string {
	var cut []string
	for len(text) > pageBytes {
		end := pageEnd(text)
		cut = append(cut, text[:end])
		text = text[end:]
	}
	return append(cut, text)
}

// pageEnd is where the first page of a long text ends.
func pageEnd(text string) int {
	from := pageBytes - pageBytes/pageSlackDiv
	for _, mark := range []string{"\n\n", "\n", " "} {
		if i := strings.LastIndex(text[from:pageBytes], mark); i >= 0 {
			return from + i + len(mark)
		}
	}
	end := pageBytes
	for end > from && text[end]&0xC0 == 0x80 { // not inside a character
		end--
	}
	return end
}
