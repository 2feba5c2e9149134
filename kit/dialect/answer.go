package dialect

import "strings"

// Answer is the content of a whole answer of a model.
type Answer struct {
	Content   string
	Reasoning string
	Calls     []Call
	// Broken are words for the model about calls that could not be read.
	Broken []string
}

// Parse reads a whole answer, in as many pieces as it came in.
func Parse(d *Dialect, o Options, pieces ...string) Answer {
	var g gathering
	p := New(d, o)
	for _, piece := range pieces {
		g.add(p.Write(piece))
	}
	g.add(p.Close())
	g.Content, g.Reasoning = g.content.String(), g.reasoning.String()
	return g.Answer
}

// gathering is an answer that is not complete yet.
type gathering struct {
	Answer
	content, reasoning strings.Builder
}

// add takes the next events.
func (g *gathering) add(events []Event) {
	for _, e := range events {
		switch e.Kind {
		case Text:
			g.content.WriteString(e.Text)
		case Thinking:
			g.reasoning.WriteString(e.Text)
		case Called:
			g.Calls = append(g.Calls, e.Call)
		case Broken:
			g.Broken = append(g.Broken, e.Text)
		case Rethought:
			g.rethink()
		}
	}
}

// rethink takes everything so far as reasoning.
func (g *gathering) rethink() {
	thought := g.content.String() + g.reasoning.String()
	g.content.Reset()
	g.reasoning.Reset()
	g.reasoning.WriteString(thought)
	g.Calls, g.Broken = nil, nil
}
