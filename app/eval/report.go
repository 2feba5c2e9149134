package eval

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// reportNames are the files that Write makes.
var reportNames = []string{"results.json", "junit.xml", "report.md", "report.html"}

// Write writes the reports into a directory: results.json, junit.xml, report.md and report.html. A comparison may be nil.
func (r *Results) Write(dir string, c *Comparison) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	write := []func(io.Writer) error{r.JSON, r.JUnit, func(w io.Writer) error { return r.Markdown(w, c) }, func(w io.Writer) error { return r.HTML(w, c) }}
	for i, name := range reportNames {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if err := errors.Join(write[i](f), f.Close()); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// JSON writes the results with their summaries.
func (r *Results) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "\t")
	e.SetEscapeHTML(false)
	return e.Encode(struct {
		*Results
		Summaries []Summary `json:"summaries"`
	}{r, r.Summaries()})
}

// The elements of JUnit's XML.
type (
	junitSuite struct {
		XMLName  xml.Name    `xml:"testsuite"`
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Time     string      `xml:"time,attr"`
		Stamp    string      `xml:"timestamp,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string     `xml:"name,attr"`
		Class   string     `xml:"classname,attr"`
		File    string     `xml:"file,attr,omitempty"`
		Time    string     `xml:"time,attr"`
		Failure *junitNote `xml:"failure"`
		Error   *junitNote `xml:"error"`
		Skipped *junitNote `xml:"skipped"`
	}
	junitNote struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes a test case for each attempt.
func (r *Results) JUnit(w io.Writer) error {
	s := r.Summaries()[0]
	suite := junitSuite{Name: "rein eval " + r.title(), Tests: len(r.Attempts), Failures: s.Failed, Errors: s.Errors, Skipped: s.Skipped,
		Time: fmt.Sprintf("%.3f", r.Seconds), Stamp: r.Began.UTC().Format("2006-01-02T15:04:05")}
	for _, a := range r.Attempts {
		c := junitCase{Name: a.Case, Class: "rein.eval", File: r.info(a.Case).File, Time: fmt.Sprintf("%.3f", a.Seconds)}
		if r.Runs > 1 {
			c.Name = fmt.Sprintf("%s (attempt %d)", a.Case, a.Number)
		}
		note := &junitNote{firstOf(a.Why()), printable(a.Why())}
		note.Message = printable(note.Message)
		switch a.Status {
		case Failed:
			c.Failure = note
		case Errored:
			c.Error = note
		case Skipped:
			c.Skipped = note
		}
		suite.Cases = append(suite.Cases, c)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "\t")
	return errors.Join(e.Encode(suite), e.Close())
}

// printable leaves out what XML cannot hold.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' {
			return '\uFFFD'
		}
		return r
	}, text)
}

// Why says why an attempt did not pass, a line for each check; "" when it passed.
func (a *Attempt) Why() string {
	var lines []string
	if a.Error != "" {
		lines = append(lines, a.Error)
	}
	for _, c := range a.Checks {
		if c.Fault != "" {
			lines = append(lines, c.Check+": "+c.Fault)
		}
	}
	return strings.Join(lines, "\n")
}

func (r *Results) info(name string) CaseInfo {
	if i := slices.IndexFunc(r.Cases, func(c CaseInfo) bool { return c.Name == name }); i >= 0 {
		return r.Cases[i]
	}
	return CaseInfo{Name: name}
}

// title names the configuration.
func (r *Results) title() string {
	return cmp.Or(r.Config.Name, cmp.Or(r.Config.Model, "the models of the cases"))
}

// Markdown writes a summary, the numbers by tag and what did not pass.
func (r *Results) Markdown(w io.Writer, c *Comparison) error {
	var b strings.Builder
	all := r.Summaries()
	fmt.Fprintf(&b, "# Evaluation: %s\n\n%s\n\n", r.title(), all[0].Text(r))
	b.WriteString("| | cases | pass | 95 % | ")
	for _, k := range r.someKs() {
		fmt.Fprintf(&b, "pass@%d | pass^%d | ", k, k)
	}
	b.WriteString("tokens | seconds | questions | US$ |\n|---|---|---|---|" + strings.Repeat("---|---|", len(r.someKs())) + "---|---|---|---|\n")
	for _, s := range all {
		fmt.Fprintf(&b, "| %s | %d | %s | %s | ", cell(s.Name), s.Cases, percent(s.Pass.Value), s.Pass.range100())
		for _, k := range r.someKs() {
			fmt.Fprintf(&b, "%s | %s | ", percent(s.PassAt[k-1].Value), percent(s.PassAll[k-1].Value))
		}
		fmt.Fprintf(&b, "%.0f | %.2f | %.2f | %s |\n", s.Tokens.Value, s.Seconds.Value, s.Questions.Value, s.USD.money())
	}
	if c != nil {
		b.WriteString("\n## Compared with " + cell(c.Before) + "\n\n" + c.Text() + "\n")
	}
	b.WriteString(r.failures())
	_, err := io.WriteString(w, b.String())
	return err
}

// failures lists the cases of which an attempt did not pass.
func (r *Results) failures() string {
	var b strings.Builder
	for _, c := range r.Cases {
		made := r.of(c.Name)
		if ok := passed(made); ok < len(made) {
			if b.Len() == 0 {
				b.WriteString("\n## Not passed\n\n| case | passed | why |\n|---|---|---|\n")
			}
			why := ""
			for _, a := range made {
				if why == "" {
					why = a.Why()
				}
			}
			fmt.Fprintf(&b, "| %s | %d of %d | %s |\n", cell(c.Name), ok, len(made), cell(why))
		}
	}
	return b.String()
}

// cell is a text in a cell of a table.
func cell(text string) string {
	text = strings.ReplaceAll(printable(text), "|", "\\|")
	return strings.ReplaceAll(strings.ReplaceAll(text, "<", "&lt;"), "\n", "<br>")
}

// someKs are the numbers of attempts that tables show beside the share of those that pass: 2, 4, … and all.
func (r *Results) someKs() (ks []int) {
	for k := 2; k < r.Runs; k *= 2 {
		ks = append(ks, k)
	}
	if r.Runs > 1 {
		ks = append(ks, r.Runs)
	}
	return ks
}

// Text is a summary in a sentence or two.
func (s *Summary) Text(r *Results) string {
	text := fmt.Sprintf("%s of the attempts pass (95 %%: %s): cases: %d, attempts: %d passed, %d failed", percent(s.Pass.Value), s.Pass.range100(), s.Cases, s.Passed, s.Failed)
	if s.Errors > 0 {
		text += fmt.Sprintf(", %d with an error", s.Errors)
	}
	if s.Skipped > 0 {
		text += fmt.Sprintf(", %d not made", s.Skipped)
	}
	if s.Cached > 0 {
		text += fmt.Sprintf(" (%d from earlier runs)", s.Cached)
	}
	text += fmt.Sprintf(". In all %.1f s", r.Seconds)
	if s.TotalUSD > 0 {
		text += fmt.Sprintf(" and $%.4f", s.TotalUSD)
	}
	return text + "."
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

func (i Interval) range100() string { return fmt.Sprintf("%.1f to %.1f %%", 100*i.Low, 100*i.High) }

func (i Interval) money() string {
	if i.Value == 0 {
		return "–"
	}
	return fmt.Sprintf("%.4f (%.4f to %.4f)", i.Value, i.Low, i.High)
}
