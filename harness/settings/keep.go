package settings

// AddAllow adds one rule to permissions.allow of a settings file.
func AddAllow(file, rule string) error { return AddTo(file, "/permissions/allow", rule) }

// AddTo adds a text to a list in a settings file, at a path of two names.
func AddTo(file, list, text string) error {
	e, err := OpenEdit(file)
	if err != nil {
		return err
	}
	if err := e.Add(list, text); err != nil {
		return err
	}
	return e.Write()
}

// RemoveFrom takes a text out of a list in a settings file: see AddTo. An object of the list is named by its field "rule". It reports
// whether the text was there.
func RemoveFrom(file, list, text string) (was bool, err error) {
	e, err := OpenEdit(file)
	if err != nil {
		return false, err
	}
	if was, err = e.Remove(list, func(x string) bool { return x == text }); err != nil || !was {
		return was, err
	}
	return true, e.Write()
}

// Put sets what a settings file has under a path of names, such as "mcpServers" and the name of a server; Put with nil takes
// it away. It reports whether the path was there before.
func Put(file string, value any, names ...string) (was bool, err error) {
	e, err := OpenEdit(file)
	if err != nil {
		return false, err
	}
	if was, err = e.Set(value, names...); err != nil || value == nil && !was {
		return was, err
	}
	return was, e.Write()
}
