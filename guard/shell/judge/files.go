package judge

import "rein/guard/shell/fact"

// ReadData reads a file for its contents: what the line itself wrote is known.
func (r *Judge) ReadData(sc *Scope, v fact.Value) fact.Data {
	if v.Proc != nil {
		return *v.Proc
	}
	r.Reads(sc, v)
	if w, ok := sc.Written[r.Absolute(sc, v)]; ok {
		return w.Data
	}
	return fact.Data{Taint: v.Taint&(fact.FromNet|fact.FromDecoder|fact.FromSocket) | r.Contents(sc, v)}
}

// Wrote remembers what a file holds now.
func (r *Judge) Wrote(sc *Scope, v fact.Value, d fact.Data) {
	if abs := r.Absolute(sc, v); abs != "" {
		if before, ok := sc.Written[abs]; ok {
			d = fact.Concat(before.Data, d)
		}
		sc.Written[abs] = Written{Data: d}
	}
}
