package sandbox

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"sync"
	"time"
)

// backlog keeps the output of a job that nobody has read yet: the newest part, when it is too much.
type backlog struct {
	mu      sync.Mutex
	size    int
	kept    []byte
	dropped int64     // bytes that nobody will read
	base    int64     // where kept starts in all the output
	tail    []byte    // the end of the last line, kept over reads: a prompt stays one
	last    []byte    // the end of all the output, whoever has read it
	end     int64     // how many bytes were written
	live    io.Writer // takes what comes, until detach
	changed chan struct{}
	at      time.Time // of the last output
}

// longestTail is how much of an unfinished line is looked at for a prompt.
const longestTail = 256

func newBacklog(size int, live io.Writer) *backlog {
	return &backlog{size: size, live: live, changed: make(chan struct{}), at: time.Now()}
}

// passesOn reports whether the output still goes to the live writer.
func (b *backlog) passesOn() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.live != nil
}

// Write takes a piece of output.
func (b *backlog) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.at = time.Now()
	b.end += int64(len(p))
	if b.last = append(b.last, p[max(0, len(p)-shownTail):]...); len(b.last) > 2*shownTail {
		b.last = append(b.last[:0], b.last[len(b.last)-shownTail:]...)
	}
	b.tail = append(b.tail, p[max(0, len(p)-longestTail):]...)
	if i := bytes.LastIndexByte(b.tail, '\n'); i >= 0 {
		b.tail = b.tail[i+1:]
	}
	b.tail = b.tail[max(0, len(b.tail)-longestTail):]
	if b.live != nil {
		return b.live.Write(p)
	}
	b.kept = append(b.kept, p...)
	// Cut at twice the size, so that a flood moves each byte once.
	if len(b.kept) > 2*b.size {
		b.cut()
	}
	close(b.changed)
	b.changed = make(chan struct{})
	return len(p), nil
}

// cut drops the oldest lines that are too much.
func (b *backlog) cut() {
	over := len(b.kept) - b.size
	if over <= 0 {
		return
	}
	if i := bytes.IndexByte(b.kept[over:], '\n'); i >= 0 && i < b.size/2 {
		over += i + 1
	}
	b.dropped += int64(over)
	b.base += int64(over)
	b.kept = append(b.kept[:0], b.kept[over:]...)
}

func (b *backlog) detach(unread func() []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.live = nil
	if unread != nil {
		b.kept = append(unread(), b.kept...)
	}
}

func (b *backlog) unread(text []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kept = append(bytes.Clone(text), b.kept...)
	b.base -= int64(len(text))
}

// take returns what has not been read, and how many bytes before it are lost.
func (b *backlog) take() (text []byte, dropped int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cut()
	text, dropped = b.kept, b.dropped
	b.base += int64(len(text))
	b.kept, b.dropped = nil, 0
	return text, dropped
}

// match looks for a pattern in what has not been read, from a place on. It returns the place to continue from (the last
// line, which may be incomplete) and a channel that closes when there is more.
func (b *backlog) match(pattern *regexp.Regexp, from int64) (found bool, next int64, changed <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	text := b.kept[min(max(0, from-b.base), int64(len(b.kept))):]
	next = b.base + int64(len(b.kept)-len(text)+bytes.LastIndexByte(text, '\n')+1)
	return pattern != nil && pattern.Match(text), next, b.changed
}

// shownTail is how much of a job's output is kept for Tail.
const shownTail = 64 << 10

// Tail returns the output from a place on, or the newest 64 KiB where that is more, and the place of its start in all the
// output. It consumes nothing: Read still returns the same output.
func (j *Job) Tail(from int64) (text []byte, start int64) {
	b := j.output
	b.mu.Lock()
	defer b.mu.Unlock()
	start = min(max(from, b.end-int64(min(len(b.last), shownTail))), b.end)
	return bytes.Clone(b.last[len(b.last)-int(b.end-start):]), start
}

// Read returns the output since the last Read, and how many bytes before it were dropped because nobody read them.
func (j *Job) Read() (text []byte, dropped int64) { return j.output.take() }

// Await waits until the unread output matches the pattern (nil: any output matches none), the job ends, it seems to
// wait for input, the time is up, or the context ends. It reports whether the pattern matched.
func (j *Job) Await(ctx context.Context, pattern *regexp.Regexp, most time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	quiet := time.NewTicker(promptQuiet)
	defer quiet.Stop()
	place := int64(0)
	for {
		found, next, changed := j.output.match(pattern, place)
		if found {
			return true
		}
		place = next
		select {
		case <-changed:
		case <-quiet.C:
			if _, waits := j.Prompt(); waits {
				return false
			}
		case <-j.Done():
			found, _, _ := j.output.match(pattern, place)
			return found
		case <-ctx.Done():
			return false
		}
	}
}

// promptQuiet is how long a program has to be silent after a line that asks something.
const promptQuiet = 300 * time.Millisecond

// Prompt returns the unfinished line that a running job ended its output with, if it looks like a question to a person.
func (j *Job) Prompt() (string, bool) {
	if j.Ended() {
		return "", false
	}
	j.output.mu.Lock()
	defer j.output.mu.Unlock()
	if time.Since(j.output.at) < promptQuiet {
		return "", false
	}
	line := string(bytes.TrimRight(j.output.tail, " \r"))
	return line, asks(line)
}
