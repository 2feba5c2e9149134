package dialect

// Answer is what a whole answer of a model says.
type Answer struct {
	Content   string
	Reasoning string
	Calls     []Call
	// Broken are words for the model about calls that could not be read.
	Broken []string
}

// Add takes the next event.
func (a *Answer) Add(e Event) {
	switch e.Kind {
	case Text:
		a.Content += e.Text
	case Thinking:
		a.Reasoning += e.Text
	case Called:
		a.Calls = append(a.Calls, e.Call)
	case Broken:
		a.Broken = append(a.Broken, e.Text)
	case Rethought:
		a.Reasoning = a.Content + a.Reasoning
		a.Content, a.Calls, a.Broken = "", nil, nil
	}
}

// Parse reads a whole answer.
func Parse(d *Dialect, o Options, pieces ...string) Answer {
	var a Answer
	p := New(d, o)
	for _, piece := range pieces {
		for _, e := range p.Write(piece) {
			a.Add(e)
		}
	}
	for _, e := range p.Close() {
		a.Add(e)
	}
	return a
}
