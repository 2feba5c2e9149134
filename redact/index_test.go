package redact

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// TestScanPassesOverNothing compares the search, which passes over most of a text, with one that tries each anchor at each place.
func TestScanPassesOverNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 20} {
		known := values(n)
		x := indexOf(known)
		if wide := n > 1; x.dense != wide {
			t.Errorf("%d values: dense %v", n, x.dense)
		}
		pieces := []string{"api ", "token = ", "AKIA", "the request ", "\n", "://", "a", "eyJ", "2026-11-21 "}
		for _, a := range x.list {
			pieces = append(pieces, a.prefix, a.prefix[:3], strings.ToUpper(a.prefix))
		}
		for _, v := range known {
			pieces = append(pieces, v.Text)
			pieces = append(pieces, base64Cores(v.Text)...)
		}
		for range 3000 {
			var text strings.Builder
			for range random.IntN(12) {
				text.WriteString(pieces[random.IntN(len(pieces))])
			}
			final, prev := random.IntN(2) == 0, "a \x00"[random.IntN(3)]
			hits, settled := x.scan([]byte(text.String()), prev, final)
			want, wantSettled := scanSlowly(x, []byte(text.String()), prev, final)
			if settled != wantSettled || !reflect.DeepEqual(hits, want) {
				t.Fatalf("%q: %v, %d; want %v, %d", text.String(), hits, settled, want, wantSettled)
			}
		}
	}
}

// scanSlowly is scan without its tables.
func scanSlowly(x *index, text []byte, prev byte, final bool) (hits []hit, settled int) {
	settled = len(text)
	for i := 0; i+3 <= len(text) && settled == len(text); i++ {
		before := prev
		if i > 0 {
			before = text[i-1]
		}
		for id := range x.list {
			a := &x.list[id]
			if !equal(text[i:i+3], a.prefix[:3], a.fold) || len(hits) > 0 && i < hits[len(hits)-1].to && !a.known {
				continue
			}
			c := &cursor{text: text, i: i, final: final}
			found, ok := a.try(c, before)
			if c.short && !final {
				settled = i
				break
			}
			if ok {
				hits = append(hits, found)
				if !a.known {
					break
				}
			}
		}
	}
	if !final {
		hits, settled = undecided(hits, min(settled, x.tail(text)))
	}
	return merge(hits), settled
}
