package redact

import (
	"bytes"
	"encoding/base64"
	"slices"
)

// contexts are the secrets that are known by what is around them.
func contexts() []anchor {
	all := []anchor{
		{kind: "private key", prefix: "-----BEGIN ", match: privateKey},
		{kind: "json web token", prefix: "eyJ", match: webToken},
		{kind: "password in a URL", prefix: "://", after: isLetterOrDigit, match: urlPassword},
		{kind: "telegram bot token", prefix: ":AA", after: isDigit, match: tail(3, newClass(dashed), 33, 33)},
		{kind: "authorization header", prefix: "authorization", fold: true, match: authorization},
	}
	for _, name := range []string{"secret", "token", "passw", "api_key", "api-key", "apikey", "access_key", "accesskey", "auth_key", "authkey", "credential"} {
		all = append(all, anchor{kind: "secret value", prefix: name, fold: true, after: anything, match: assigned})
	}
	return all
}

func anything(byte) bool { return true }

func isLetterOrDigit(b byte) bool { return isLetter(b) || isDigit(b) }

const (
	maxLabel = 40
	maxPEM   = 16 << 10
	minPEM   = 64 // bytes of a body that has no end line
)

var pemBody = newClass("A-Za-z0-9+/=: \t\r\n\\,.\"'-")

// privateKey matches a PEM block of a private key, also one that has its line ends escaped. The block without its
// end line is hidden as far as it looks like one.
func privateKey(c *cursor) (from, to int, ok bool) {
	from = c.i - len("-----BEGIN ")
	label := c.i
	for c.i-label < maxLabel && (c.peek() >= 'A' && c.peek() <= 'Z' || c.peek() == ' ' || isDigit(c.peek())) {
		c.i++
	}
	if !bytes.Contains(c.text[label:c.i], []byte("PRIVATE KEY")) || !c.literal("-----", false) {
		return 0, 0, false
	}
	body := c.i
	for c.i-body < maxPEM {
		if c.peek() == '-' {
			if end := *c; end.literal("-----END ", false) {
				return from, endOfLine(c), true
			}
			if c.short = c.short || c.i+len("-----END ") > len(c.text); c.short && !c.final {
				return 0, 0, false
			}
		}
		if !pemBody.has(c.peek()) {
			break
		}
		c.i++
	}
	return from, c.i, c.i-body >= minPEM
}

// endOfLine moves behind an end line: its dashes, its label, its dashes.
func endOfLine(c *cursor) int {
	c.i += len("-----END ")
	for n := 0; n < maxLabel && c.peek() != '-' && c.peek() != 0 && c.peek() != '\n'; n++ {
		c.i++
	}
	for n := 0; n < 5 && c.peek() == '-'; n++ {
		c.i++
	}
	return c.i
}

const maxWebToken = 8 << 10

var tokenSet = newClass(dashed)

// webToken matches the three parts of a signed token; the first two are JSON objects in base64.
func webToken(c *cursor) (from, to int, ok bool) {
	from = c.i - len("eyJ")
	if n := c.run(tokenSet, 2048); n < 10 || n > 2048 || !c.literal(".eyJ", false) {
		return 0, 0, false
	}
	if n := c.run(tokenSet, maxWebToken); n < 4 || n > maxWebToken || !c.literal(".", false) {
		return 0, 0, false
	}
	n := c.run(tokenSet, 2048)
	return from, c.i, n >= 20 && n <= 2048
}

const maxUserInfo = 256

var userInfo = newClass("A-Za-z0-9._~%!$&*+,;=:^|-")

// urlPassword matches what is between the colon and the @ of scheme://user:password@host.
func urlPassword(c *cursor) (from, to int, ok bool) {
	begin := c.i
	n := c.run(userInfo, maxUserInfo)
	if n == 0 || n > maxUserInfo || c.peek() != '@' {
		return 0, 0, false
	}
	info, end := c.text[begin:c.i], c.i
	c.i++
	if next := c.peek(); !isLetterOrDigit(next) && next != '[' {
		return 0, 0, false
	}
	_, password, pair := bytes.Cut(info, []byte(":"))
	if !pair { // a token instead of a user
		return begin, end, len(info) >= 20 && isKeyMaterial(info)
	}
	return end - len(password), end, len(password) >= 4 && !isStandIn(password)
}

// isStandIn reports whether a password is a variable or a word of a manual.
func isStandIn(password []byte) bool {
	switch password[0] {
	case '$', '%', '*':
		return true
	}
	for _, common := range []string{"pass", "password", "passwd", "passwort", "secret", "token", "user", "pwd"} {
		if bytes.EqualFold(password, []byte(common)) {
			return true
		}
	}
	return isPlaceholder(password) || distinct(password) < 3
}

var credential = newClass(alnum + "._~+/=-")

// authorization matches the credentials of an Authorization header, in a header, in code or in JSON.
func authorization(c *cursor) (from, to int, ok bool) {
	if !c.assignment() {
		return 0, 0, false
	}
	scheme := c.i
	for n := 0; n < 12 && isLetter(c.peek()); n++ {
		c.i++
	}
	basic := bytes.EqualFold(c.text[scheme:c.i], []byte("basic"))
	if c.peek() != ' ' {
		return 0, 0, false
	}
	c.i++
	from = c.i
	n := c.run(credential, 4096)
	value := c.text[from:c.i]
	if basic {
		return from, c.i, n >= 8 && n <= 4096 && isBasic(value)
	}
	return from, c.i, n >= 16 && n <= 4096 && distinct(value) >= 8 && bytes.IndexFunc(value, isDigitRune) >= 0 && !isPlaceholder(value)
}

func isDigitRune(r rune) bool { return '0' <= r && r <= '9' }

// isBasic reports whether a value is user:password in base64.
func isBasic(value []byte) bool {
	plain, err := base64.RawStdEncoding.DecodeString(string(bytes.TrimRight(value, "=")))
	return err == nil && bytes.IndexByte(plain, ':') >= 0
}

const (
	minAssigned = 16
	maxAssigned = 512
	maxName     = 24 // what may follow in the name: SECRET_ACCESS_KEY
)

var nameSet, valueSet = newClass(dashed), newClass(alnum + "/+_.=~-")

// assigned matches the value that is given to the name of a secret: token = "…", API_KEY=…, "secret": "…".
func assigned(c *cursor) (from, to int, ok bool) {
	name := c.i
	if n := c.run(nameSet, maxName); n > maxName || namesNoSecret(c.text[name:c.i]) || !c.assignment() {
		return 0, 0, false
	}
	from = c.i
	n := c.run(valueSet, maxAssigned)
	if n < minAssigned || n > maxAssigned {
		return 0, 0, false
	}
	switch c.peek() {
	case '(', '[', '{', '$', '<', '*', ':', '@': // code that computes the value, or an address
		return 0, 0, false
	}
	return from, c.i, isKeyMaterial(c.text[from:c.i])
}

// namesNoSecret reports whether a name that begins like a secret's means something about the secret, such as its length.
func namesNoSecret(rest []byte) bool {
	lower := bytes.ToLower(rest)
	return slices.ContainsFunc([]string{"hash", "sha", "sum", "digest", "finger", "_id", "url", "uri", "path", "file", "name", "type", "len", "count", "version"}, func(part string) bool { return bytes.Contains(lower, []byte(part)) })
}

// assignment reads what is between a name and its value: quotes, blanks and one of = : := =>.
func (c *cursor) assignment() bool {
	c.quote()
	c.blanks()
	if c.peek() == ':' {
		c.i++
		if c.peek() == '=' {
			c.i++
		}
	} else if c.peek() == '=' {
		c.i++
		if c.peek() == '>' {
			c.i++
		}
	} else {
		return false
	}
	c.blanks()
	c.quote()
	return true
}

func (c *cursor) blanks() {
	for n := 0; n < 8 && (c.peek() == ' ' || c.peek() == '\t'); n++ {
		c.i++
	}
}

// quote reads a quotation mark, which may be escaped.
func (c *cursor) quote() {
	if c.peek() == '\\' {
		c.i++
	}
	if b := c.peek(); b == '"' || b == '\'' || b == '`' {
		c.i++
	}
}
