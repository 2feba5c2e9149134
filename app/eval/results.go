package eval

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"rein/internal/plainfile"
)

// format is the version of results as JSON.
const format = 1

// Results are what came of a run.
type Results struct {
	Format   int        `json:"format"`
	Config   Config     `json:"config"`
	Version  string     `json:"version"` // of the program
	Began    time.Time  `json:"began"`
	Seconds  float64    `json:"seconds"` // of the whole run
	Runs     int        `json:"runs"`    // attempts at each case
	Cases    []CaseInfo `json:"cases"`
	Attempts []*Attempt `json:"attempts"` // in the order of the cases
}

// CaseInfo is what reports say of a case.
type CaseInfo struct {
	Name  string   `json:"name"`
	About string   `json:"about,omitempty"`
	Tags  []string `json:"tags,omitempty"`
	File  string   `json:"file,omitempty"`
	Line  int      `json:"line,omitempty"`
}

// ReadResults reads results from a JSON file, as reports have them.
func ReadResults(file string) (*Results, error) {
	text, err := plainfile.ReadNamed(file)
	if err != nil {
		return nil, err
	}
	r := new(Results)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s holds no results: %w", file, err)
	}
	if r.Format != format || len(r.Cases) == 0 {
		return nil, fmt.Errorf("%s holds no results of the format %d", file, format)
	}
	return r, nil
}

// Summary are the numbers of some cases.
type Summary struct {
	Name string `json:"name"` // "all", or a tag

	Cases   int `json:"cases"`  // with an attempt that counts
	Passed  int `json:"passed"` // attempts
	Failed  int `json:"failed"`
	Errors  int `json:"errors"`
	Skipped int `json:"skipped"`
	Cached  int `json:"cached"`

	Pass    Interval `json:"pass"`     // share of attempts that pass; Wilson over cases
	PassAt  []At     `json:"pass_at"`  // pass@k
	PassAll []At     `json:"pass_all"` // pass^k

	USD       Interval `json:"usd"` // of an attempt; bootstrap over cases
	TotalUSD  float64  `json:"total_usd"`
	Seconds   Interval `json:"seconds"`
	Tokens    Interval `json:"tokens"`
	Questions Interval `json:"questions"`
}

// At is an estimate for k attempts.
type At struct {
	K int `json:"k"`
	Interval
}

// of are the attempts of a case that count.
func (r *Results) of(name string) (all []*Attempt) {
	for _, a := range r.Attempts {
		if a.Case == name && a.Status != Skipped {
			all = append(all, a)
		}
	}
	return all
}

func passed(all []*Attempt) (n int) {
	for _, a := range all {
		if a.Status == Passed {
			n++
		}
	}
	return n
}

// Summaries are the numbers of all cases, then those of each tag.
func (r *Results) Summaries() []Summary {
	all := []Summary{r.summary("all", func(CaseInfo) bool { return true })}
	var tags []string
	for _, c := range r.Cases {
		tags = append(tags, c.Tags...)
	}
	slices.Sort(tags)
	for _, tag := range slices.Compact(tags) {
		all = append(all, r.summary(tag, func(c CaseInfo) bool { return slices.Contains(c.Tags, tag) }))
	}
	return all
}

// summary counts the cases that belong to it. What is estimated is the mean over cases, and cases are what the intervals draw from: attempts
// at the same case are not independent.
func (r *Results) summary(name string, belongs func(CaseInfo) bool) Summary {
	s := Summary{Name: name}
	var rates, usd, seconds, tokens, questions []float64
	counts := [][2]int{} // attempts and passed, by case
	for _, c := range r.Cases {
		if !belongs(c) {
			continue
		}
		s.count(r.Attempts, c.Name)
		made := r.of(c.Name)
		if len(made) == 0 {
			continue
		}
		s.Cases++
		n, ok := len(made), passed(made)
		counts, rates = append(counts, [2]int{n, ok}), append(rates, float64(ok)/float64(n))
		usd = append(usd, meanOf(made, func(a *Attempt) float64 { return a.Usage.Cost + a.Judges.Cost }))
		seconds = append(seconds, meanOf(made, func(a *Attempt) float64 { return a.Seconds }))
		tokens = append(tokens, meanOf(made, func(a *Attempt) float64 { return float64(a.Usage.Input + a.Usage.Output) }))
		questions = append(questions, meanOf(made, func(a *Attempt) float64 { return float64(a.Questions) }))
	}
	s.Pass = Wilson(mean(rates), s.Cases)
	s.USD, s.Seconds, s.Tokens, s.Questions = Bootstrap(usd), Bootstrap(seconds), Bootstrap(tokens), Bootstrap(questions)
	for k := 1; k <= r.Runs; k++ {
		var at, all []float64
		for _, c := range counts {
			if c[0] >= k {
				at, all = append(at, PassAt(c[0], c[1], k)), append(all, PassAll(c[0], c[1], k))
			}
		}
		s.PassAt, s.PassAll = append(s.PassAt, At{k, Wilson(mean(at), len(at))}), append(s.PassAll, At{k, Wilson(mean(all), len(all))})
	}
	return s
}

func (s *Summary) count(all []*Attempt, name string) {
	for _, a := range all {
		if a.Case != name {
			continue
		}
		switch a.Status {
		case Passed:
			s.Passed++
		case Failed:
			s.Failed++
		case Errored:
			s.Errors++
		case Skipped:
			s.Skipped++
		}
		if a.Cached {
			s.Cached++
		}
		s.TotalUSD += a.Usage.Cost + a.Judges.Cost
	}
}

func meanOf(all []*Attempt, value func(*Attempt) float64) float64 {
	sum := 0.0
	for _, a := range all {
		sum += value(a)
	}
	return sum / float64(len(all))
}
