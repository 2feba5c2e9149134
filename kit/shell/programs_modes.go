package shell

import (
	"strings"
)

// setsID reports whether a mode gives a program the rights of its owner or group.
func setsID(mode string) bool {
	if len(mode) == 4 && strings.Trim(mode, "01234567") == "" {
		return mode[0] != '0' && mode[0] != '1'
	}
	return strings.Contains(mode, "s") && strings.ContainsAny(mode, "+=")
}

// opensToAll reports whether a mode lets everybody write.
func opensToAll(mode string) bool {
	if strings.Trim(mode, "01234567") == "" && mode != "" {
		return strings.ContainsAny(mode[len(mode)-1:], "2367")
	}
	for _, part := range strings.Split(mode, ",") {
		who, what, ok := strings.Cut(part, "+")
		if !ok {
			who, what, ok = strings.Cut(part, "=")
		}
		if ok && strings.ContainsAny(who, "ao") && strings.Contains(what, "w") {
			return true
		}
	}
	return false
}

// respellTar spells "xzf a.tar" as "-x -z -f a.tar".
func respellTar(args []value) []value {
	var flags, values []value
	rest := args[1:]
	for _, letter := range args[0].Text {
		flags = append(flags, literal("-"+string(letter)))
		if strings.ContainsRune("fCbHIKLNTVX", letter) && len(rest) > 0 {
			flags = append(flags, rest[0])
			rest = rest[1:]
		}
	}
	return append(append(flags, values...), rest...)
}

// tarMode is what tar is to do: c, x or t.
func tarMode(p *parsedArguments) byte {
	for _, o := range p.Options {
		switch {
		case o.Name == "-x" || o.Name == "--extract" || o.Name == "--get":
			return 'x'
		case o.Name == "-t" || o.Name == "--list":
			return 't'
		case o.Name == "-d" || o.Name == "--diff" || o.Name == "--compare":
			return 't'
		}
	}
	return 'c'
}
