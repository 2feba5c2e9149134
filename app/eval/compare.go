package eval

import (
	"fmt"
	"slices"
	"strings"
)

// Comparison is what a second run has that the first one does not, over the cases that both have.
type Comparison struct {
	Before string `json:"before"` // the configurations
	After  string `json:"after"`

	Cases  int      `json:"cases"`
	Better []string `json:"better"` // cases whose share of passed attempts is higher
	Worse  []string `json:"worse"`

	// P is the chance that chance alone brings such a difference between Better and Worse: see SignTest.
	P float64 `json:"p"`

	// Differences are after minus before, by case.
	Pass      Interval `json:"pass"`
	USD       Interval `json:"usd"`
	Tokens    Interval `json:"tokens"`
	Seconds   Interval `json:"seconds"`
	Questions Interval `json:"questions"`

	Missing []string `json:"missing,omitempty"` // cases that only one of them has
}

// Significant is the chance below which a difference counts.
const Significant = 0.05

// Compare compares two results case by case.
func Compare(before, after *Results) *Comparison {
	c := &Comparison{Before: before.title(), After: after.title()}
	var pass, usd, tokens, seconds, questions []float64
	for _, info := range after.Cases {
		a, b := before.of(info.Name), after.of(info.Name)
		if len(a) == 0 || len(b) == 0 {
			c.Missing = append(c.Missing, info.Name)
			continue
		}
		c.Cases++
		more := func(value func(*Attempt) float64) float64 { return meanOf(b, value) - meanOf(a, value) }
		change := more(func(a *Attempt) float64 { return map[bool]float64{true: 1}[a.Status == Passed] })
		switch {
		case change > 0:
			c.Better = append(c.Better, info.Name)
		case change < 0:
			c.Worse = append(c.Worse, info.Name)
		}
		pass = append(pass, change)
		usd = append(usd, more(func(a *Attempt) float64 { return a.Usage.Cost + a.Judges.Cost }))
		tokens = append(tokens, more(func(a *Attempt) float64 { return float64(a.Usage.Input + a.Usage.Output) }))
		seconds = append(seconds, more(func(a *Attempt) float64 { return a.Seconds }))
		questions = append(questions, more(func(a *Attempt) float64 { return float64(a.Questions) }))
	}
	for _, info := range before.Cases {
		if !slices.ContainsFunc(after.Cases, func(c CaseInfo) bool { return c.Name == info.Name }) {
			c.Missing = append(c.Missing, info.Name)
		}
	}
	c.P = SignTest(len(c.Better), len(c.Worse))
	c.Pass, c.USD, c.Tokens, c.Seconds, c.Questions = Bootstrap(pass), Bootstrap(usd), Bootstrap(tokens), Bootstrap(seconds), Bootstrap(questions)
	return c
}

// Verdict says in words whether the second run is better.
func (c *Comparison) Verdict() string {
	switch {
	case c.P >= Significant && len(c.Better)+len(c.Worse) == 0:
		return "no case differs"
	case c.P >= Significant:
		return "the difference may be chance"
	case len(c.Better) > len(c.Worse):
		return "better"
	}
	return "worse"
}

// Worsened reports whether the second run is worse, and not by chance.
func (c *Comparison) Worsened() bool { return c.P < Significant && len(c.Worse) > len(c.Better) }

// Text is the comparison as Markdown.
func (c *Comparison) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: cases: %d, better: %d, worse: %d, p = %.3g (exact sign test over cases).\n\n", c.Verdict(), c.Cases, len(c.Better), len(c.Worse), c.P)
	b.WriteString("| difference of an attempt | mean | 95 % |\n|---|---|---|\n")
	fmt.Fprintf(&b, "| pass | %+.1f %% | %+.1f to %+.1f %% |\n", 100*c.Pass.Value, 100*c.Pass.Low, 100*c.Pass.High)
	for _, row := range []struct {
		name string
		Interval
	}{{"US$", c.USD}, {"tokens", c.Tokens}, {"seconds", c.Seconds}, {"questions", c.Questions}} {
		fmt.Fprintf(&b, "| %s | %+.4g | %+.4g to %+.4g |\n", row.name, row.Value, row.Low, row.High)
	}
	list(&b, "Better", c.Better)
	list(&b, "Worse", c.Worse)
	list(&b, "Only in one of them, or not made", c.Missing)
	return b.String()
}

func list(b *strings.Builder, what string, names []string) {
	if len(names) > 0 {
		fmt.Fprintf(b, "\n%s: %s.\n", what, strings.Join(names, ", "))
	}
}
