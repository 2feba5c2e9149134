package model

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// scripted is a Model whose nth stream is the nth function.
type scripted struct {
	asked   int
	streams []func(yield func(Chunk, error) bool)
}

func (s *scripted) Info() Info { return Info{Provider: "p", Name: "m"} }

func (s *scripted) Stream(context.Context, *Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		s.asked++
		s.streams[s.asked-1](yield)
	}
}

func fails(e *Error, before ...Chunk) func(func(Chunk, error) bool) {
	return func(yield func(Chunk, error) bool) {
		for _, c := range before {
			yield(c, nil)
		}
		yield(Chunk{}, e)
	}
}

func answers(yield func(Chunk, error) bool) {
	if yield(Chunk{Kind: TextChunk, Text: "hi"}, nil) {
		yield(Chunk{Kind: Done}, nil)
	}
}

func TestTheAnswerCountsItsRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := &Error{Provider: "p", Kind: Overloaded}
		m := Retry(&scripted{streams: []func(func(Chunk, error) bool){fails(busy), fails(busy), answers}}, nil)
		var notices []int
		for c, err := range m.Stream(t.Context(), &Request{}) {
			switch {
			case err != nil:
				t.Fatal(err)
			case c.Kind == Notice:
				notices = append(notices, c.Retries)
			case c.Kind == Done && c.Retries != 2:
				t.Errorf("the answer came after %d retries, want 2", c.Retries)
			}
		}
		if !slices.Equal(notices, []int{1, 2}) {
			t.Errorf("the notices count %v", notices)
		}
	})
}

func TestRetry(t *testing.T) {
	busy := &Error{Provider: "p", Kind: Overloaded, Status: 529, Text: "no room"}
	later := &Error{Provider: "p", Kind: Rate, RetryAfter: 20 * time.Second}
	muchLater := &Error{Provider: "p", Kind: Rate, RetryAfter: time.Hour}
	refused := &Error{Provider: "p", Kind: BadRequest}
	text := Chunk{Kind: TextChunk, Text: "half"}
	type stream = func(func(Chunk, error) bool)
	rows := []struct {
		name     string
		streams  []stream
		want     string // kinds of chunks, "error" at the end
		min, max time.Duration
	}{
		{"an answer is not asked for twice", []stream{answers}, "text done", 0, 0},
		{"no room: another try", []stream{fails(busy), answers}, "notice text done", 500 * time.Millisecond, 1500 * time.Millisecond},
		{"three more tries and no more", []stream{fails(busy), fails(busy), fails(busy), fails(busy), answers}, "notice notice notice error", 3 * time.Second, 11 * time.Second},
		{"the provider's own wait", []stream{fails(later), answers}, "notice text done", 20 * time.Second, 20 * time.Second},
		{"a wait that is too long is an error at once", []stream{fails(muchLater), answers}, "error", 0, 0},
		{"a refused request is reported once, without a retry", []stream{fails(refused), answers}, "error", 0, 0},
		{"what came before the fault is void", []stream{fails(busy, text), answers}, "text restart text done", 500 * time.Millisecond, 1500 * time.Millisecond},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				got := kinds(Retry(&scripted{streams: row.streams}, nil).Stream(t.Context(), &Request{}))
				if got != row.want {
					t.Errorf("got %s, want %s", got, row.want)
				}
				if took := time.Since(start); took < row.min || took > row.max {
					t.Errorf("took %v, want %v to %v", took, row.min, row.max)
				}
			})
		})
	}
}

func TestAWaitThatIsTooLongIsReported(t *testing.T) {
	given := &Error{Provider: "p", Kind: Rate, RetryAfter: time.Hour, Text: "slow down"}
	_, err := Ask(t.Context(), Retry(&scripted{streams: []func(func(Chunk, error) bool){fails(given)}}, nil), &Request{})
	if e, ok := errors.AsType[*Error](err); !ok || !strings.Contains(err.Error(), "slow down") || !strings.Contains(err.Error(), "a wait of 1h0m0s") || e.Kind != Rate {
		t.Errorf("got %v", err)
	}
	if given.Text != "slow down" {
		t.Errorf("the error of another was changed: %q", given.Text)
	}
}

func TestRetryEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		why := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(100*time.Millisecond, func() { cancel(why) })
		m := Retry(&scripted{streams: []func(func(Chunk, error) bool){fails(&Error{Kind: Rate, RetryAfter: time.Minute})}}, nil)
		_, err := Ask(ctx, m, &Request{})
		if !errors.Is(err, why) {
			t.Errorf("got %v", err)
		}
	})
}

func TestRetryMayBeLeft(t *testing.T) {
	m := &scripted{streams: []func(func(Chunk, error) bool){fails(&Error{Kind: Server}), answers}}
	for range Retry(m, nil).Stream(t.Context(), &Request{}) {
		break
	}
	if m.asked != 1 {
		t.Errorf("asked %d times after the loop was left", m.asked)
	}
}

func kinds(seq iter.Seq2[Chunk, error]) string {
	var words []string
	for c, err := range seq {
		if err != nil {
			words = append(words, "error")
			continue
		}
		words = append(words, string(c.Kind))
	}
	return strings.Join(words, " ")
}

// TestAnErrorOfFewWords: what a server did not say is said.
func TestAnErrorOfFewWords(t *testing.T) {
	for want, e := range map[string]Error{
		"x: overloaded (529): no reason was given": {Kind: Overloaded, Provider: "x", Status: 529},
		"x: overloaded (529): come back":           {Kind: Overloaded, Provider: "x", Status: 529, Text: "come back"},
		"the model: not authorised: no key":        {Kind: Auth, Text: "no key"},
	} {
		if got := e.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
