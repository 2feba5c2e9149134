package model

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// ErrorKind is the kind of a failure, so that a caller knows what can help.
type ErrorKind string

// The kinds of errors.
const (
	Auth          ErrorKind = "auth"           // no key, a wrong one, or one without the right to do this
	Quota         ErrorKind = "quota"          // the account has no money or no quota left: waiting does not help
	Rate          ErrorKind = "rate"           // too many requests or tokens a minute: wait
	Overloaded    ErrorKind = "overloaded"     // the provider has no room: wait
	Server        ErrorKind = "server"         // the provider failed
	BadRequest    ErrorKind = "bad_request"    // the provider refuses this request: the same one will be refused again
	NotFound      ErrorKind = "not_found"      // no such model or address
	ContextLength ErrorKind = "context_length" // the conversation is too long for the model
	Network       ErrorKind = "network"        // the provider was not reached, or the connection broke
	Garbage       ErrorKind = "garbage"        // what came is not the protocol
	Stalled       ErrorKind = "stalled"        // the stream was silent for the idle time
	WrongProtocol ErrorKind = "wrong_protocol" // what came is no answer of this protocol: the address is wrong
)

// Error is what a Model returns when an answer did not come whole. Its text never holds a key.
type Error struct {
	Provider   string
	Kind       ErrorKind
	Status     int           // of HTTP; zero when no status reported the fault
	RetryAfter time.Duration // how long the provider wants the caller to wait; zero: unknown
	Text       string        // what happened, in the provider's words where it gave any
	Err        error         // what is below, may be nil
}

// Error says who failed and how, in one line.
func (e *Error) Error() string {
	who, text := cmp.Or(e.Provider, "the model"), cmp.Or(e.Text, "no reason was given")
	if e.Status != 0 {
		return fmt.Sprintf("%s: %s (%d): %s", who, e.Kind.words(), e.Status, text)
	}
	return fmt.Sprintf("%s: %s: %s", who, e.Kind.words(), text)
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Retryable reports whether the same request may succeed later.
func (e *Error) Retryable() bool {
	switch e.Kind {
	case Rate, Overloaded, Server, Network, Stalled, Garbage:
		return true
	}
	return false
}

func (k ErrorKind) words() string {
	switch k {
	case Auth:
		return "not authorised"
	case Quota:
		return "no quota left"
	case Rate:
		return "too many requests"
	case BadRequest:
		return "request refused"
	case NotFound:
		return "not found"
	case ContextLength:
		return "conversation too long"
	case Network:
		return "connection failed"
	case Server:
		return "server error"
	case Garbage:
		return "answer not understood"
	case WrongProtocol:
		return "not an answer of this protocol"
	}
	return string(k)
}

// tooLong matches the words of providers for a conversation that does not fit.
var tooLong = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`context[_ ](length|window|size)|prompt is too long|too many (input )?tokens|maximum (context|number of tokens)|` +
		`input token count|input is too long|exceed(s|ed)? (the )?(model'?s? )?(maximum )?(context|token limit)|request_too_large|reduce the length|` +
		`maximum (prompt|model) length|prompt exceeds max|range of input length|length of prompt_tokens|inputs. (tokens \+|must have less than)`)
})

// KindOf returns the kind of a failure by what the provider reported, in lower case: the status of HTTP (0: none), its code and its words.
func KindOf(status int, code, text string) ErrorKind {
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(code, w) })
	}
	switch {
	case status == 402, has("insufficient_quota", "billing", "credit"):
		return Quota
	case status == 401, status == 403, has("authentication", "api_key", "permission"):
		return Auth
	case status == 413, (status == 400 || status == 0 || status == 422) && (tooLong().MatchString(code) || tooLong().MatchString(text)):
		return ContextLength
	case status == 404, has("not_found"):
		return NotFound
	case status == 429, has("rate_limit", "resource_exhausted"):
		return Rate
	case status == 529, status == 503, has("overloaded", "unavailable"):
		return Overloaded
	case status >= 500, status == 408, status == 425:
		return Server
	case status >= 300, has("invalid_request", "invalid_argument", "invalid_prompt"):
		return BadRequest
	}
	return Server
}
