package shell

import "rein/guard/effect"

// ReadData reads a file for its contents: what the line itself wrote is known.
func (r *judging) ReadData(sc *scope, v effect.Value) effect.Data {
	if v.Proc != nil {
		return *v.Proc
	}
	r.Reads(sc, v)
	if w, ok := sc.Written[r.Absolute(sc, v)]; ok {
		return w.Data
	}
	return effect.Data{Taint: v.Taint&(effect.FromNet|effect.FromDecoder|effect.FromSocket) | r.Contents(sc, v)}
}

// Wrote remembers what a file holds now.
func (r *judging) Wrote(sc *scope, v effect.Value, d effect.Data) {
	if abs := r.Absolute(sc, v); abs != "" {
		if before, ok := sc.Written[abs]; ok {
			d = effect.Concat(before.Data, d)
		}
		sc.Written[abs] = written{Data: d}
	}
}
