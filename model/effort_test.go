package model

import "testing"

func TestEffort(t *testing.T) {
	for _, row := range []struct {
		name  string
		takes *Thinking
		want  string
		word  string
		noted bool
	}{
		{"nothing is asked for", &Thinking{Efforts: []string{"low"}}, "", "", false},
		{"nothing is known", nil, "xhigh", "xhigh", false},
		{"a word that it takes", &Thinking{Efforts: []string{"low", "high"}}, "high", "high", false},
		{"less than it has", &Thinking{Efforts: []string{"low", "medium", "high"}}, "minimal", "low", true},
		{"more than it has", &Thinking{Efforts: []string{"low", "medium", "high"}}, "max", "high", true},
		{"between two, the weaker one", &Thinking{Efforts: []string{"low", "high"}}, "medium", "low", true},
		{"in any order", &Thinking{Efforts: []string{"high", "minimal"}}, "xhigh", "high", true},
		{"it always thinks", &Thinking{Efforts: []string{"medium", "high"}}, "none", "medium", true},
		{"never off unless that is asked for", &Thinking{Efforts: []string{"none", "low"}}, "minimal", "low", true},
		{"on or off, on", &Thinking{Efforts: []string{"none", "default"}}, "high", "default", true},
		{"on or off, off", &Thinking{Efforts: []string{"none", "default"}}, "none", "none", false},
		{"it takes no word", &Thinking{Budget: true}, "high", "", true},
		{"it does not think", &Thinking{}, "high", "", true},
	} {
		word, note := Info{Name: "m", Thinking: row.takes}.Effort(row.want)
		if word != row.word || (note != "") != row.noted {
			t.Errorf("%s: %q, %q", row.name, word, note)
		}
	}
}

func TestTokens(t *testing.T) {
	bounded := &Thinking{Budget: true, Min: 128, Max: 1000}
	for _, row := range []struct {
		takes      *Thinking
		want, have int
	}{{nil, 5, 5}, {bounded, 0, 128}, {bounded, 500, 500}, {bounded, 5000, 1000}, {&Thinking{Switch: true, Min: 128}, 0, 0}, {&Thinking{Min: 128}, 5000, 5000}} {
		if got := row.takes.Tokens(row.want); got != row.have {
			t.Errorf("%+v, %d: %d, want %d", row.takes, row.want, got, row.have)
		}
	}
}
