package harness

// ErrorKind names who can repair a failure to open a harness or a session.
type ErrorKind uint8

// The kinds.
const (
	Internal ErrorKind = iota // none of the others
	Usage                     // an option has a value that it may not have
	Input                     // something that an option names is not there, or not usable
	Auth                      // no model can be asked: a key is missing
)

// Error is a failure with its kind. A fault in a settings file is a settings.Error instead.
type Error struct {
	Kind ErrorKind
	Err  error
}

func (e Error) Error() string { return e.Err.Error() }

// Unwrap gives the failure.
func (e Error) Unwrap() error { return e.Err }

func kindError(k ErrorKind, err error) error {
	if err == nil {
		return nil
	}
	return Error{k, err}
}

func usageError(err error) error { return kindError(Usage, err) }
func inputError(err error) error { return kindError(Input, err) }
