package model

import (
	"cmp"
	"fmt"
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
	who := cmp.Or(e.Provider, "the model")
	if e.Status != 0 {
		return fmt.Sprintf("%s: %s (%d): %s", who, e.Kind.words(), e.Status, e.Text)
	}
	return fmt.Sprintf("%s: %s: %s", who, e.Kind.words(), e.Text)
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
