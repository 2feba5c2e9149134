package eval

import (
	"embed"
	"errors"
	"io/fs"
)

// The shipped suite: a file for each kind of work.
//
//go:embed suite/*.yaml
var suite embed.FS

// SuiteFiles are the files of the shipped suite.
func SuiteFiles() fs.FS {
	files, _ := fs.Sub(suite, "suite") // the name is a valid one
	return files
}

// Suite reads the shipped suite. Its scripts pass all of its cases.
func Suite() ([]*Case, error) {
	names, err := fs.Glob(SuiteFiles(), "*.yaml")
	if err != nil {
		return nil, err
	}
	var all []*Case
	var wrong []error
	for _, name := range names {
		text, err := fs.ReadFile(SuiteFiles(), name)
		if err != nil {
			return nil, err
		}
		cases, err := Parse(name, text)
		wrong = append(wrong, err)
		for _, c := range cases {
			wrong = append(wrong, c.digest())
		}
		all = append(all, cases...)
	}
	return checked("the suite", all, errors.Join(wrong...))
}
