package shell

import (
	"fmt"
	"strings"
)

// secretVariable reports whether a variable's name shows that it holds a credential.
func secretVariable(name string) bool {
	n := strings.ToUpper(name)
	for _, word := range []string{"SECRET", "TOKEN", "PASSWORD", "PASSWD", "API_KEY", "APIKEY", "PRIVATE_KEY", "ACCESS_KEY", "CREDENTIAL", "DATABASE_URL", "_PAT", "_AUTH"} {
		if strings.Contains(n, word) {
			return true
		}
	}
	return false
}

// nameTable returns the group of each name that it knows.
type nameTable map[string]string

// Group returns the group of a name; "" where the table does not have it.
func (t nameTable) Group(name string) string { return t[name] }

// Has reports whether the table has a name.
func (t nameTable) Has(name string) bool { return t[name] != "" }

// parseNames adds the tables of a file. The errors begin with the line.
func parseNames(all map[string]nameTable, text string) error {
	var table nameTable
	group, n := "", 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\n")
		name, begins := strings.CutPrefix(line, "= ")
		switch {
		case line == "" || strings.HasPrefix(line, "# "):
		case begins:
			if all[name] != nil || name == "" {
				return fmt.Errorf("%d: the table %q is there twice, or has no name", n, name)
			}
			table, group = nameTable{}, ""
			all[name] = table
		case line[0] != ' ':
			if group = line; table == nil || strings.ContainsAny(line, " \t") {
				return fmt.Errorf("%d: a group outside of a table, or of several words", n)
			}
		default:
			for _, word := range strings.Fields(line) {
				if group == "" {
					return fmt.Errorf("%d: %q is in no group", n, word)
				}
				if table[word] != "" {
					return fmt.Errorf("%d: %q is in the table already, in the group %s", n, word, table[word])
				}
				table[word] = group
			}
		}
	}
	return nil
}

// isRootName reports whether a name is one that may be met directly below the root of a machine.
func isRootName(name string) bool {
	switch name {
	case "bin", "boot", "dev", "etc", "home", "lib", "lib32", "lib64", "libx32", "media", "mnt", "opt", "proc", "root",
		"run", "sbin", "snap", "srv", "sys", "tmp", "usr", "var", "nix", "lost+found", "users", "volumes", "applications",
		"library", "system", "private", "cores", "network", "data", "code", "repo", "repos", "src", "work", "workspace",
		"workspaces", "projects", "project", "backup", "backups", "storage", "export", "net", "host", "secrets", "config",
		"vault", "certs", "keys", "secret", "c", "d":
		return true
	}
	return false
}

// noRoot reports whether a word with one name behind a slash is a pattern, a route or a switch: /valid/, /api, /nologo.
// Such directories could be made; the sandbox stops a tool of the project that reads outside.
func noRoot(s string) bool {
	name := strings.TrimSuffix(strings.TrimPrefix(s, "/"), "/")
	if strings.HasPrefix(s, "~") && len(s) > 1 && !strings.Contains(s, "/") {
		return true // --tag ~slow
	}
	return strings.HasPrefix(s, "/") && name != "" && !strings.ContainsAny(name, "/.*~\x00\x01\x02") && !isRootName(strings.ToLower(name))
}

// isSwitch reports whether a word is an option of another system: /p:NAME=VALUE.
func isSwitch(s string) bool {
	name, _, ok := strings.Cut(s, ":")
	return ok && len(name) > 1 && strings.Trim(name[1:], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}
