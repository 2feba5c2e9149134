package places

import (
	"path/filepath"
	"runtime"
	"strings"
)

// onWindows says that names are those of Windows; tests change it.
var onWindows = runtime.GOOS == "windows"

// Slash returns a path in the form in which paths are compared here and read by the guards: on Windows, C:\a\b is /C:/a/b.
func Slash(name string) string {
	if !onWindows || name == "" {
		return name
	}
	name = strings.ReplaceAll(strings.TrimPrefix(name, `\\?\`), `\`, "/")
	if len(name) >= 2 && name[1] == ':' && letter(name[0]) {
		return "/" + strings.ToUpper(name[:1]) + name[1:]
	}
	return name
}

// SlashAll does it for a list.
func SlashAll(names []string) []string {
	if !onWindows {
		return names
	}
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = Slash(name)
	}
	return all
}

// Native returns a path that Slash gave in the form of the system.
func Native(name string) string {
	if onWindows && len(name) >= 3 && name[0] == '/' && name[2] == ':' && letter(name[1]) {
		return filepath.FromSlash(name[1:])
	}
	return name
}

func letter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }

// hasOtherNames reports whether the system may read a path as another one, which is judged by its own name: a short name (PROGRA~1), a
// stream (a.txt:b), a drive without a root (C:a), a dot or blank at the end, which is left out.
func hasOtherNames(abs string) bool {
	if !onWindows {
		return false
	}
	for i, name := range strings.Split(strings.TrimPrefix(abs, "/"), "/") {
		if i == 0 && len(name) == 2 && name[1] == ':' {
			continue
		}
		if strings.Contains(name, ":") || strings.HasSuffix(name, ".") || strings.HasSuffix(name, " ") {
			return true
		}
		if _, after, ok := strings.Cut(name, "~"); ok && after != "" && '0' <= after[0] && after[0] <= '9' {
			return true
		}
	}
	return false
}
