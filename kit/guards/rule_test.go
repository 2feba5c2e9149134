package guards

// full is the full set of guards with these rules.
func full(list []Rule) *Set {
	return New(Options{Here: home.Here, Unsaved: clean, Rules: &Rules{List: list, Programs: home}})
}
