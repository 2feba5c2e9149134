package main

import (
	"bytes"
	"context"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"rein/app/replay"
	"rein/event"
	"rein/journal"
)

// repeatAll repeats all sessions below a home of rein, and compares each with its record: what every story of the command line did
// happens again, byte for byte.
func repeatAll(t *testing.T, home string) {
	sessions := filepath.Join(home, "sessions")
	dirs, err := os.ReadDir(sessions)
	if err != nil {
		return // the story recorded nothing
	}
	read := map[string][]event.Event{} // once: a process of the story may still be at work
	recorded := func(id string) iter.Seq2[event.Event, error] {
		return func(yield func(event.Event, error) bool) {
			if _, ok := read[id]; !ok {
				for e, err := range journal.Read(filepath.Join(sessions, id, journal.FileName)) {
					if err != nil {
						yield(e, err)
						return
					}
					read[id] = append(read[id], e)
				}
			}
			for _, e := range read[id] {
				if !yield(e, nil) {
					return
				}
			}
		}
	}
	for _, d := range dirs {
		if _, err := replay.Read(d.Name(), recorded); err != nil {
			continue // no session, or damaged on purpose
		}
		with, err := replay.ReadRecording(filepath.Join(sessions, d.Name()))
		if err != nil {
			with = nil
		}
		repeatOne(t, d.Name(), recorded, with)
	}
}

func repeatOne(t *testing.T, id string, recorded replay.Sessions, with *replay.Recording) {
	t.Helper()
	var written [2]bytes.Buffer
	for i := range 2 {
		r, err := replay.Repeat(context.Background(), id, recorded, with)
		if err != nil {
			t.Errorf("%s: %v", id, err)
			return
		}
		if d := replay.Compare(r.Record, r.Run); !d.Equal(true) {
			var text bytes.Buffer
			_ = d.WriteText(&text)
			t.Errorf("%s: the replay differs from the record:\n%s", id, &text)
			return
		}
		var record, run bytes.Buffer
		_, _ = r.Record.WriteTranscript(&record, 0), r.Run.WriteTranscript(&run, 0)
		if !bytes.Equal(record.Bytes(), run.Bytes()) {
			t.Errorf("%s: the transcript of the replay is another one:\n%s\n%s", id, &record, &run)
			return
		}
		_ = r.Run.WriteJSON(&run)
		written[i] = run
		t.Logf("%s: %d steps, %d copied", id, len(r.Run.Steps), r.Copied)
	}
	if !bytes.Equal(written[0].Bytes(), written[1].Bytes()) {
		t.Errorf("%s: two replays differ:\n%s\n%s", id, &written[0], &written[1])
	}
}
