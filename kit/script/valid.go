package script

import (
	"fmt"

	"rein/model"
)

// valid returns what is wrong with a script's values.
func (s *Script) valid() error {
	for _, turns := range s.all() {
		for i, t := range turns {
			if !knownStop(t.Stop) {
				return fmt.Errorf("turn %d: unknown stop %q: end, calls, length, refusal, malformed or pause", i+1, t.Stop)
			}
			for _, c := range t.Calls {
				if c.Name == "" {
					return fmt.Errorf("turn %d: a call has no name", i+1)
				}
			}
		}
	}
	return nil
}

func (s *Script) all() [][]Turn {
	all := [][]Turn{s.Turns}
	for _, c := range s.Conversations {
		all = append(all, c.Turns)
	}
	return all
}

func knownStop(stop string) bool {
	switch model.Stop(stop) {
	case "", model.StopEnd, model.StopCalls, model.StopLength, model.StopRefusal, model.StopMalformed, model.StopPause:
		return true
	}
	return false
}
