package tui

// hangUp is the message that the terminal is gone or the process is to end.
type hangUp struct{}

// resumed is the message that the program runs again after the shell had stopped it.
type resumed struct{}

// toSleep is the message that the shell is to stop the program: the live part is taken away, so that what the shell prints stands where it was.
// gone is closed once the frame without it was drawn; nil: it is still to be drawn.
type toSleep struct{ gone chan<- struct{} }
