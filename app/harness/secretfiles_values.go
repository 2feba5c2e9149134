package harness

import (
	"io"
	"iter"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"rein/internal/plainfile"
	"rein/kit/places"
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
	switch {
	case strings.HasSuffix(v.file, ".pem"):
		v.named(withoutBlocks(text), false)
	case isCode(v.file):
		v.named(text, true)
	default:
		v.free(text)
	}
	v.detected(text)
}

// free adds the secrets of a text of any form.
func (v *fileSecrets) free(text string) {
	if words := strings.Fields(text); len(words) == 1 && !strings.Contains(text, "=") {
		v.add("the text", words[0])
	}
	v.words(text)
	if strings.Contains(v.file, "pass") {
		v.passwords(text)
	}
	v.assignments(text)
}

// isCode reports whether a file has code of a program and is secret only because of its directory, as those of a package "credentials":
// its words and expressions are no secrets.
func isCode(file string) bool {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".go", ".py", ".pyi", ".pyc", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte", ".map", ".java", ".class", ".kt", ".scala", ".clj",
		".c", ".h", ".cc", ".cpp", ".hpp", ".cs", ".fs", ".rb", ".php", ".rs", ".swift", ".m", ".mm", ".dart", ".lua", ".pl", ".pm", ".ex", ".exs", ".erl", ".hs", ".zig",
		".proto", ".html", ".css", ".scss", ".md", ".rst", ".svg":
		class := places.OfName(file)
		return class != places.Private && class != places.Secret
	}
	return false
}

// withoutBlocks takes the keys and certificates out of a PEM file, and the comments that name no secret: those of the certificates of all
// authorities, which come with many programs, have thousands of words and fingerprints. What is secret in the keys is detected.
func withoutBlocks(text string) string {
	var b strings.Builder
	for line := range strings.Lines(blocks().ReplaceAllLiteralString(text, "")) {
		if !strings.HasPrefix(line, "#") || slices.ContainsFunc(strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t=:", r) }), isSecretName) {
			b.WriteString(line)
		}
	}
	return b.String()
}

var blocks = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`-----BEGIN (?:(?:TRUSTED |X509 )?CERTIFICATE|(?:NEW )?CERTIFICATE REQUEST|X509 CRL|(?:RSA |EC )?PUBLIC KEY|(?:EC |DH )?PARAMETERS)-----[A-Za-z0-9+/=\r\n]*-----END [A-Z0-9 ]+-----` +
		`|(?s)-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----.*?-----END (?:[A-Z0-9]+ )*PRIVATE KEY-----`)
})

// detected adds what looks like a key.
func (v *fileSecrets) detected(text string) {
	for _, found := range redact.Detect([]byte(text)) {
		v.add(found.Name, found.Text)
	}
}

// words adds the word that follows the name of a secret in its line, as in .netrc, where lines mean nothing, and in commands of fish.
func (v *fileSecrets) words(text string) {
	lines := []string{text}
	if !strings.HasSuffix(v.file, "netrc") {
		lines = strings.Split(text, "\n")
	}
	n := 0
	for _, line := range lines {
		words := strings.Fields(line)
		if n += len(words); n > mostValues {
			v.cut = true
			return
		}
		for i, name := range words {
			if i+1 == len(words) || len(name) > mostName || strings.ContainsAny(name, "=:") || !isSecretName(name) {
				continue
			}
			if next := strings.Trim(words[i+1], "\"';,"); !strings.HasSuffix(next, ":") && !strings.HasSuffix(next, "=") { // else it is a name, too
				v.add(name, next)
			}
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
	n := 0
	for name, rest := range assigned(text) {
		if n++; n > mostValues {
			v.cut = true
			return
		}
		secret := isSecretName(name)
		for _, value := range valuesAt(rest) {
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

// named adds what has the name of a secret, in a text of which most is something else. Of code these are texts in quotes that are no words,
// paths or sentences.
func (v *fileSecrets) named(text string, code bool) {
	for name, rest := range assigned(text) {
		if !isSecretName(name) || code && strings.IndexAny(strings.TrimLeft(rest, " \t=>"), "\"'`") != 0 {
			continue
		}
		for _, value := range valuesAt(rest) {
			if !code || strings.ContainsAny(value, "0123456789") && !strings.ContainsAny(value, " ,") && !strings.HasPrefix(value, "/") && !strings.HasPrefix(value, "urn:") {
				v.add(name, value)
			}
		}
	}
}

// assigned gives what is before each "=" and ":" of a text, as a name, and the text behind it.
func assigned(text string) iter.Seq2[string, string] {
	return func(yield func(name, rest string) bool) {
		for from := 0; ; {
			i := strings.IndexAny(text[from:], "=:")
			if i < 0 {
				return
			}
			i += from
			for from = i + 1; from < len(text) && text[from] == '='; from++ { // a line below a heading
			}
			if !yield(nameBefore(text[:i]), text[from:]) {
				return
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
	path := strings.HasPrefix(value, "/") && strings.Trim(value, "abcdefghijklmnopqrstuvwxyz/-_.") == ""
	return path || strings.Contains(value, "://")
}

// isSecretName is less strict than for a variable of the environment: the file holds secrets. Authors, authorities and public keys
// are none.
func isSecretName(name string) bool {
	name = strings.ToUpper(name[strings.LastIndexAny(name, "/:.")+1:])
	if !strings.Contains(name, "AUTHORIZ") {
		name = strings.ReplaceAll(name, "AUTHOR", "")
	}
	for _, public := range []string{"PUBLIC_KEY", "PUBLIC-KEY", "PUBLICKEY"} {
		name = strings.TrimSuffix(name, public)
	}
	return strings.HasSuffix(name, "KEY") || slices.ContainsFunc([]string{"SECRET", "TOKEN", "PASS", "PWD", "AUTH", "CREDENTIAL"}, func(part string) bool {
		return strings.Contains(name, part)
	})
}
