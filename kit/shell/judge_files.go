package shell

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
		if before, ok := sc.Written[abs]; ok {
			d = concatData(before.Data, d)
		}
		sc.Written[abs] = written{Data: d}
	}
}
