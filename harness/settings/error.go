package settings

// Error is a fault in a settings file, or in a place where rein keeps things.
type Error struct{ Err error }

func (e Error) Error() string { return e.Err.Error() }

// Unwrap gives the fault.
func (e Error) Unwrap() error { return e.Err }
