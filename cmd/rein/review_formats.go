package main

import (
	"bytes"
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"rein/internal/plaintext"
)

// reviewFormats are the forms of a review by the ending of a file's name.
var reviewFormats = map[string]func(*review) ([]byte, error){".txt": reviewText, ".json": reviewJSON, ".md": reviewMarkdown, ".sarif": reviewSARIF}

// where is the place of a finding, in words.
func (f reviewFinding) where() string {
	switch {
	case f.Line == 0:
		return f.File
	case f.EndLine > f.Line:
		return fmt.Sprintf("%s:%d-%d", f.File, f.Line, f.EndLine)
	}
	return fmt.Sprintf("%s:%d", f.File, f.Line)
}

// counts says how many findings there are of each severity.
func (r *review) counts() string {
	var all []string
	for _, s := range severities {
		n := 0
		for _, f := range r.Findings {
			if f.Severity == s {
				n++
			}
		}
		if n > 0 {
			all = append(all, plaintext.Counted(n, s))
		}
	}
	return cmp.Or(strings.Join(all, ", "), "no findings") + " in " + plaintext.Counted(r.Files, "changed file")
}

func reviewText(r *review) ([]byte, error) {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s: %s: %s [%s]\n", f.where(), f.Severity, oneLine(f.Title, 200), f.Kind)
		for _, part := range []string{f.Text, f.Suggestion, f.Note} {
			if part = strings.TrimSpace(part); part != "" {
				b.WriteString("    " + strings.ReplaceAll(part, "\n", "\n    ") + "\n")
			}
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "%s\n%s\n", r.counts(), strings.TrimSpace(r.Summary))
	return []byte(printable(b.String())), nil
}

func reviewJSON(r *review) ([]byte, error) {
	var b bytes.Buffer
	err := printJSON(&b, r)
	return b.Bytes(), err
}

// activeMarkdown is what makes a page do something: tags, pictures, names of people.
var activeMarkdown = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(<)([A-Za-z/!?])|(!)(\[)|(@)(\w)`) })

// still returns text of a model as Markdown that loads nothing and calls nobody: a space of no width stands within what would.
func still(text string) string {
	return activeMarkdown().ReplaceAllString(printable(strings.TrimSpace(text)), "$1$3$5\u200b$2$4$6")
}

func reviewMarkdown(r *review) ([]byte, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "## Review: %s\n\n%s\n", r.counts(), still(r.Summary))
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "\n### %s: %s\n\n`%s` · %s\n\n%s\n", f.Severity, still(oneLine(f.Title, 200)), strings.ReplaceAll(oneLine(f.where(), 300), "`", "'"), f.Kind, still(f.Text))
		if f.Suggestion != "" {
			fmt.Fprintf(&b, "\nSuggestion: %s\n", still(f.Suggestion))
		}
		if f.Note != "" {
			fmt.Fprintf(&b, "\n*%s*\n", still(f.Note))
		}
	}
	if n := len(r.Dropped); n > 0 {
		fmt.Fprintf(&b, "\nLeft out: %s about files that do not exist.\n", plaintext.Counted(n, "finding"))
	}
	return []byte(b.String()), nil
}

// reviewKinds are the rules of SARIF: the kinds of findings, and what they mean.
var reviewKinds = [][2]string{
	{"wrong-result", "The code computes or does something wrong."}, {"unhandled-error", "An error or a limit is not handled."},
	{"race", "The result depends on the order of concurrent work."}, {"security", "Somebody can do or read what they should not."},
	{"compatibility", "What worked before no longer works."}, {"missing-test", "A changed behaviour has no test."}, {"other", "Another fault."},
}

// object is one of JSON, whose keys are sorted when it is written.
type object = map[string]any

func reviewSARIF(r *review) ([]byte, error) {
	rules, results := []object{}, []object{}
	for _, k := range reviewKinds {
		rules = append(rules, object{"id": k[0], "shortDescription": object{"text": k[1]}})
	}
	for _, f := range r.Findings {
		place := object{"artifactLocation": object{"uri": (&url.URL{Path: f.File}).String(), "uriBaseId": "%SRCROOT%"}}
		if f.Line > 0 {
			place["region"] = object{"startLine": f.Line, "endLine": max(f.Line, f.EndLine)}
		}
		text := f.Title
		for _, part := range []string{f.Text, f.Suggestion, f.Note} {
			if part != "" {
				text += "\n\n" + part
			}
		}
		results = append(results, object{"ruleId": f.Kind, "level": f.Severity, "message": object{"text": text}, "locations": []object{{"physicalLocation": place}}})
	}
	var b bytes.Buffer
	err := printJSON(&b, object{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": []object{{
		"tool":    object{"driver": object{"name": "rein review", "version": programVersion(), "rules": rules}},
		"results": results,
	}}})
	return b.Bytes(), err
}
