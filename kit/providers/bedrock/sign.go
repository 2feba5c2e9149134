package bedrock

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Credentials are the keys of one identity.
type Credentials struct {
	KeyID   string
	Secret  string
	Token   string    // of a session; "": they are lasting keys
	Expires time.Time // zero: never
}

// Signer signs requests by version 4 of Amazon's signatures: the little of Amazon's SDK that a client of models needs.
type Signer struct {
	Region  string
	Service string // "bedrock"
}

const (
	longDate  = "20060102T150405Z"
	shortDate = "20060102"
	algorithm = "AWS4-HMAC-SHA256"
)

// Sign adds the headers of the signature to a request with this body. Host, Content-Type and all headers that begin with
// X-Amz- are part of it.
func (s Signer) Sign(r *http.Request, body []byte, c Credentials, now time.Time) {
	now = now.UTC()
	r.Header.Set("X-Amz-Date", now.Format(longDate))
	if c.Token != "" {
		r.Header.Set("X-Amz-Security-Token", c.Token)
	}
	signed, headers := canonicalHeaders(r)
	request := strings.Join([]string{r.Method, canonicalPath(r.URL), canonicalQuery(r.URL), headers, signed, hash(body)}, "\n")
	scope := strings.Join([]string{now.Format(shortDate), s.Region, s.Service, "aws4_request"}, "/")
	text := strings.Join([]string{algorithm, now.Format(longDate), scope, hash([]byte(request))}, "\n")
	key := []byte("AWS4" + c.Secret)
	for _, part := range []string{now.Format(shortDate), s.Region, s.Service, "aws4_request"} {
		key = mac(key, part)
	}
	r.Header.Set("Authorization", algorithm+" Credential="+c.KeyID+"/"+scope+", SignedHeaders="+signed+", Signature="+hex.EncodeToString(mac(key, text)))
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// canonicalHeaders returns the names of the headers that are signed, and their lines.
func canonicalHeaders(r *http.Request) (names, lines string) {
	host := r.Host
	if host == "" {
		host = r.URL.Host
	}
	values := map[string]string{"host": host}
	for name, all := range r.Header {
		name = strings.ToLower(name)
		if name != "content-type" && !strings.HasPrefix(name, "x-amz-") {
			continue
		}
		trimmed := make([]string, len(all))
		for i, v := range all {
			trimmed[i] = strings.Join(strings.Fields(v), " ")
		}
		values[name] = strings.Join(trimmed, ",")
	}
	var sorted []string
	for name := range values {
		sorted = append(sorted, name)
	}
	slices.Sort(sorted)
	var b strings.Builder
	for _, name := range sorted {
		b.WriteString(name + ":" + values[name] + "\n")
	}
	return strings.Join(sorted, ";"), b.String()
}

// canonicalPath is the path as it is sent, encoded again.
func canonicalPath(u *url.URL) string {
	path := u.EscapedPath()
	if path == "" {
		return "/"
	}
	return encoded(path, "/")
}

func canonicalQuery(u *url.URL) string {
	var all []string
	for name, values := range u.Query() {
		for _, v := range values {
			all = append(all, encoded(name, "")+"="+encoded(v, ""))
		}
	}
	slices.Sort(all)
	return strings.Join(all, "&")
}

// encoded writes all bytes as %XX but letters, digits, "-_.~" and those in keep.
func encoded(text, keep string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_.~", c) >= 0 || strings.IndexByte(keep, c) >= 0 {
			b.WriteByte(c)
		} else {
			b.WriteString(string([]byte{'%', digits[c>>4], digits[c&15]}))
		}
	}
	return b.String()
}
