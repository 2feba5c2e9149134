package tui

// This part stops and continues the chat as the shell wants it, and tells it when the terminal is gone.

// hangUp is the message that the terminal is gone or the process is to end.
type hangUp struct{}

// signalsResumed is the message that the program runs again after the shell had stopped it.
type signalsResumed struct{}
