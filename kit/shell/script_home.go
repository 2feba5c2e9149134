package shell

import "strings"

// What is removed in other languages is known by strings; the home directory also by the calls that name it.

// removesTree reports whether a function by this name removes a directory with all that is in it.
func removesTree(name string) bool {
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "rmtree", "rmSync", "rm_rf", "rm_r", "remove_tree", "rimraf", "RemoveAll", "removeSync", "emptyDirSync", "remove_entry_secure", "rm":
		return true
	}
	return false
}

// isHomeCall reports whether the first argument is the home directory itself: rmSync(os.homedir(), …), rm_rf(Dir.home).
func isHomeCall(tokens []token, i int) bool {
	for tokenAt(tokens, i).Sym == '(' || tokenAt(tokens, i).Sym == '[' {
		i++
	}
	if !isHomeWord(tokenAt(tokens, i).Word) {
		return false
	}
	i++
	for tokenAt(tokens, i).Sym == '(' || tokenAt(tokens, i).Sym == ')' && tokenAt(tokens, i+1).Sym == ')' {
		i++
	}
	if s := tokenAt(tokens, i).Sym; s == ')' {
		i++
	}
	s := tokenAt(tokens, i).Sym
	return s == 0 && !tokenAt(tokens, i).IsStr || s == ',' || s == ')' || s == ';' || s == ']'
}

// isHomeWord reports whether a name gives the home directory.
func isHomeWord(name string) bool {
	switch name {
	case "Dir.home", "Path.home", "pathlib.Path.home", "process.env.HOME", "os.UserHomeDir", "homedir":
		return true
	}
	return strings.HasSuffix(name, ".homedir")
}

// listsAfter reports whether all that is in a directory is listed: Path.home().iterdir().
func listsAfter(tokens []token, i int) bool {
	for _, t := range tokens[min(i, len(tokens)):min(i+4, len(tokens))] {
		switch t.Word {
		case "iterdir", "glob", "rglob", "children", "each_child", "scandir":
			return true
		}
	}
	return false
}
