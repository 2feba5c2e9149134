package tui

// hangUp is the message that the terminal is gone or the process is to end.
type hangUp struct{}

// resumed is the message that the program runs again after the shell had stopped it.
type resumed struct{}
