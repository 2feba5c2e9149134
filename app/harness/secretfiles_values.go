package harness

import (
	"io"
	"slices"
	"strings"

	"rein/internal/plainfile"
	"rein/redact"
)

// Bounds of what is read of one file.
const (
	mostBytes      = 4 << 20
	mostValues     = 2_000 // assignments and words that are looked at
	mostQuoted     = 16 << 10
	mostSecretLine = 4 << 10
	mostName       = 128
)

// fileSecrets collects the secrets of one file.
type fileSecrets struct {
	file string
	all  []redact.Value
	cut  bool // it holds more than was read
}

// secretText returns the beginning of a file; false: it cannot be read.
func secretText(path string) ([]byte, bool) {
	f, err := plainfile.Open(path)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostBytes))
	return text, err == nil
}

// secretValues returns the secrets of a text: what has the name of a secret, what looks like a key, and a text of one word. whole is false
// where there may be more.
func secretValues(file string, text []byte) (all []redact.Value, whole bool) {
	v := &fileSecrets{file: file, cut: len(text) == mostBytes}
	v.read(string(text))
	return v.all, !v.cut
}

func (v *fileSecrets) add(name, value string) {
	if value = strings.TrimSpace(value); !isAddress(value) {
		v.all = append(v.all, redact.Value{Name: name + " of " + v.file, Text: value})
	}
}

func (v *fileSecrets) read(text string) {
	if words := strings.Fields(text); len(words) == 1 && !strings.Contains(text, "=") {
		v.add("the text", words[0])
	} else {
		v.words(words)
	}
	if strings.Contains(v.file, "pass") {
		v.passwords(text)
	}
	v.assignments(text)
	v.detected(text)
}

// detected adds what looks like a key.
func (v *fileSecrets) detected(text string) {
	for _, found := range redact.Detect([]byte(text)) {
		v.add(found.Name, found.Text)
	}
}

// words adds the word that follows the name of a secret, as in .netrc and in commands of fish.
func (v *fileSecrets) words(words []string) {
	v.cut = v.cut || len(words) > mostValues
	for i, name := range words[:min(len(words), mostValues)] {
		if i+1 < len(words) && len(name) <= mostName && !strings.ContainsAny(name, "=:") && isSecretName(name) {
			v.add(name, strings.Trim(words[i+1], "\"';,"))
		}
	}
}

// passwords adds the last field of the lines of .pgpass and .htpasswd.
func (v *fileSecrets) passwords(text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if fields := strings.Split(line, ":"); (len(fields) == 2 || len(fields) == 5) && !strings.ContainsAny(line, " \t=") {
			v.add("a password", fields[len(fields)-1])
		}
	}
}

// assignments adds the values of names, as in NAME=value, name: "value" and {"name":"value"}.
func (v *fileSecrets) assignments(text string) {
	from := 0
	for n := 0; ; n++ {
		i := strings.IndexAny(text[from:], "=:")
		if i < 0 {
			return
		}
		if n == mostValues {
			v.cut = true
			return
		}
		i += from
		from = i + 1
		name := nameBefore(text[:i])
		secret := isSecretName(name)
		for _, value := range valuesAt(text[from:]) {
			if secret {
				v.add(name, value)
			}
			if strings.Contains(value, "-----BEGIN ") {
				v.detected(value)
			} else if len(redact.Detect([]byte("token="+value))) > 0 { // what looks like a key, by whatever name
				v.add(name, value)
			}
		}
	}
}

// nameBefore returns the name at the end of a text, without its quotes.
func nameBefore(text string) string {
	text = strings.TrimRight(text[max(len(text)-mostName, 0):], " \t\"'")
	return text[strings.LastIndexAny(text, " \t\r\n\"'{},;=:(")+1:]
}

// valuesAt returns the ways to read the value at the start of a text: a quoted one as it is and without its escapes, else the
// first word and the whole line.
func valuesAt(text string) []string {
	text = strings.TrimLeft(text[:min(len(text), mostQuoted)], " \t=>")
	if text == "" {
		return nil
	}
	if quote := text[0]; strings.IndexByte("\"'`", quote) >= 0 {
		for i := 1; i < len(text); i++ {
			if text[i] == '\\' {
				i++
			} else if text[i] == quote {
				return slices.Compact([]string{text[1:i], unescape.Replace(text[1:i])})
			}
		}
	}
	text = text[:min(len(text), mostSecretLine)]
	line := 0
	for line < len(text) && (text[line] != '\n' || strings.HasSuffix(strings.TrimSuffix(text[:line], "\r"), "\\")) {
		line++
	}
	text = strings.NewReplacer("\\\r\n", "", "\\\n", "").Replace(text[:line])
	if end := strings.Index(text, " #"); end >= 0 {
		text = text[:end]
	}
	text = strings.Trim(text, " \t\r,")
	word := text
	if end := strings.IndexAny(text, " \t;,}])\"'"); end >= 0 {
		word = text[:end]
	}
	return slices.Compact([]string{word, text})
}

// unescape takes the escapes out of a quoted text.
var unescape = strings.NewReplacer(`\n`, "\n", `\r`, "", `\t`, "\t", `\\`, `\`, `\"`, `"`, `\'`, "'", `\/`, "/", "\\\n", "")

// isAddress reports whether a value says where something is. Passwords in it are detected apart.
func isAddress(value string) bool {
	for _, start := range []string{"./", "../", "~/", "$"} {
		if strings.HasPrefix(value, start) && !strings.HasPrefix(value, "$apr1$") && !strings.HasPrefix(value, "$2") {
			return true
		}
	}
	return strings.Contains(value, "://")
}

// isSecretName is less strict than for a variable of the environment: the file holds secrets.
func isSecretName(name string) bool {
	name = strings.ToUpper(name[strings.LastIndexAny(name, "/:.")+1:])
	return strings.HasSuffix(name, "KEY") || slices.ContainsFunc([]string{"SECRET", "TOKEN", "PASS", "PWD", "AUTH", "CREDENTIAL"}, func(part string) bool {
		return strings.Contains(name, part)
	})
}
