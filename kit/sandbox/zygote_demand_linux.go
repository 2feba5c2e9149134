package sandbox

import "time"

const (
	// mostSpares is how many processes wait for programs at most: a turn runs no more calls at once.
	mostSpares = 8
	// manyProcesses is the limit of processes from which on more than one of them may wait: they count.
	manyProcesses = 512
	// calmAfter is how long no program has started when the spares for the next ones are made.
	calmAfter = 10 * time.Millisecond
)

// demand is how many spares the programs of a session need. A model that runs eight commands at once does so again: there are as
// many spares as programs ran at once, and one less each time that fewer did.
type demand struct {
	most    int // 0: no spares
	running int
	peak    int // of running, since it was last settled
	wanted  int
}

// spares is how many spares may wait where programs have this limit of processes.
func spares(granted bool, processes int64) demand {
	switch {
	case granted:
		return demand{}
	case 0 < processes && processes < manyProcesses:
		return demand{most: 1}
	}
	return demand{most: mostSpares}
}

func (d *demand) begins() {
	d.running++
	d.peak = max(d.peak, d.running)
}

func (d *demand) ends() { d.running-- }

// settle returns how many spares there should be from now on.
func (d *demand) settle() int {
	d.wanted = min(max(d.peak, d.wanted-1, 1), d.most)
	d.peak = d.running
	return d.wanted
}
