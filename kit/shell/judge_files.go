package shell

import "rein/guard/effect"

// ReadData reads a file for its contents: what the line itself wrote is known.
func (r *judging) ReadData(sc *scope, v value) data {
	if v.Proc != nil {
		return *v.Proc
	}
	r.Reads(sc, v)
	if w, ok := sc.Written[r.Absolute(sc, v)]; ok {
		return w.Data
	}
	return data{Taint: v.Taint&(fromNet|fromDecoder|fromSocket) | r.Contents(sc, v)}
}

// Wrote remembers what a file holds now.
func (r *judging) Wrote(sc *scope, v value, d data) {
	if abs := r.Absolute(sc, v); abs != "" {
		r.replaces(d, abs)
		if before, ok := sc.Written[abs]; ok {
			d = concatData(before.Data, d)
		}
		sc.Written[abs] = written{Data: d}
	}
}

// replaces notes the loss of what is not committed where data is put back to where git took it from.
func (r *judging) replaces(d data, abs string) {
	if d.History != "" && d.History == abs {
		r.Found(effect.Delete, "puts an older state in the place of changes that may not be committed")
		r.discard(effect.Changes, true)
	}
}

func (r *judging) discard(what effect.Discard, is bool) {
	if is {
		r.Report.Discards |= what
	}
}
