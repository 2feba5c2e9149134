// Package signals stops and continues the chat as the shell wants it, and tells it when the terminal is gone.
package signals

// HangUp is the message that the terminal is gone or the process is to end.
type HangUp struct{}

// Resumed is the message that the program runs again after the shell had stopped it.
type Resumed struct{}
