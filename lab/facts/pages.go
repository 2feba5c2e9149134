package main

// This file compares what package document takes as the main part of a page with what was expected of it, word by
// word. The argument is a folder of folders with source.html and expected.html, as the test pages of Mozilla's
// Readability and of its ports are.
//
//	go run ./lab/facts pages $PAGES

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"rein/kit/document"
)

type row struct {
	name                   string
	precision, recall, f1  float64
	nothingStoodOut, error bool
}

func scorePages() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "score: expected a folder of test pages")
		os.Exit(2)
	}
	sources, err := filepath.Glob(filepath.Join(os.Args[1], "*", "source.html"))
	if err != nil || len(sources) == 0 {
		fmt.Fprintln(os.Stderr, "score: no test pages:", err)
		os.Exit(1)
	}
	var rows []row
	sum, good := 0.0, 0
	for _, source := range sources {
		r := compare(source)
		rows = append(rows, r)
		sum += r.f1
		if r.f1 >= 0.95 {
			good++
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return int(1e6 * (a.f1 - b.f1)) })
	for _, r := range rows {
		fmt.Printf("%-44s precision %.2f  recall %.2f  f1 %.2f  whole %v\n", r.name, r.precision, r.recall, r.f1, r.nothingStoodOut)
	}
	fmt.Printf("%d pages, mean f1 %.3f, %d of at least 0.95\n", len(rows), sum/float64(len(rows)), good)
}

// compare reads both pages to Markdown, so that markup counts for neither, and compares their words.
func compare(source string) row {
	r := row{name: filepath.Base(filepath.Dir(source))}
	got, err := readPage(source, document.PageOptions{})
	want, err2 := readPage(filepath.Join(filepath.Dir(source), "expected.html"), document.PageOptions{Whole: true})
	if err != nil || err2 != nil {
		r.error = true
		return r
	}
	r.nothingStoodOut = got.Whole
	g, w := words(got.Markdown), words(want.Markdown)
	both := 0
	for word, n := range g {
		both += min(n, w[word])
	}
	if both > 0 {
		r.precision, r.recall = float64(both)/float64(count(g)), float64(both)/float64(count(w))
		r.f1 = 2 * r.precision * r.recall / (r.precision + r.recall)
	}
	return r
}

func readPage(name string, o document.PageOptions) (document.Page, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return document.Page{}, err
	}
	return document.ReadPage(text, o)
}

func words(text string) map[string]int {
	bag := map[string]int{}
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		bag[word]++
	}
	return bag
}

func count(bag map[string]int) int {
	n := 0
	for _, k := range bag {
		n += k
	}
	return n
}
