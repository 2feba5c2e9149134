package sandbox

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestProbeOnABusyMachineIsTriedAgainWithMoreTime(t *testing.T) {
	for _, row := range []struct {
		rule  string
		takes []time.Duration // of each try
		err   error           // of a try that ends in time
		tries int
		works bool
	}{
		{"a quick probe is asked once", []time.Duration{time.Millisecond}, nil, 1, true},
		{"a sandbox that fails in time fails", []time.Duration{time.Millisecond}, errors.New("open"), 1, false},
		{"a slow one is asked again", []time.Duration{time.Minute, 20 * time.Second}, nil, 2, true},
		{"a sandbox that fails late fails", []time.Duration{time.Minute, 20 * time.Second}, errors.New("open"), 2, false},
		{"one that hangs fails", []time.Duration{time.Hour, time.Hour}, nil, 2, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			tries, warned := 0, 0
			err := probed(t.Context(), backendPolicy{Warn: func(string) { warned++ }}, func(ctx context.Context) error {
				tries++
				select {
				case <-ctx.Done():
					return errors.New("cut off")
				case <-time.After(row.takes[tries-1]):
					return row.err
				}
			})
			if tries != row.tries || warned != row.tries-1 || (err == nil) != row.works {
				t.Errorf("%s: %d tries, %d warnings, %v", row.rule, tries, warned, err)
			}
		})
	}
}
