package shell

const maxEndings = 16 // states that are kept

// endings are the states in which a loop may end before its last round, because of a break, return or exit in its body.
type endings struct {
	Leaves bool // something in the body ends the loop
	states []*scope
}

// Add notes that the loop may end after the round that has just been read.
func (e *endings) Add(sc *scope) {
	if !e.Leaves {
		return
	}
	if len(e.states) == maxEndings { // the last one stands for all that follow
		e.states[maxEndings-1].LoseChanged(sc)
		return
	}
	e.states = append(e.states, sc.Sub())
}

// Join is the output of a round behind that of the rounds before it, after which the loop may have ended.
func (e *endings) Join(out, round data) data {
	if len(e.states) > 0 {
		return eitherData(out, concatData(out, round))
	}
	return concatData(out, round)
}

// Merge makes the state after the loop.
func (e *endings) Merge(r *judging, sc *scope) {
	for _, s := range e.states {
		r.Merge(sc, s)
	}
}
