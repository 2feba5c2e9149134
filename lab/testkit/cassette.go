package testkit

// This part records the exchanges with a provider and replays them: for tests with real answers, and to show a fault to
// others. It is an http.RoundTripper on both sides. Only the two headers that an answer needs are written, and keys in
// addresses and bodies are removed. So a recording may be shared when its text may be.

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// cassetteExchange is one line of a recording: a request and what came back.
type cassetteExchange struct {
	Method string `json:"method"`
	URL    string `json:"url"` // path and query only
	Body   text   `json:"body,omitzero"`

	Status  int               `json:"status,omitempty"`
	Header  map[string]string `json:"header,omitempty"`
	Answer  text              `json:"answer,omitzero"`
	Failure string            `json:"failure,omitempty"` // why the answer broke off, or never came
}

// kept are the headers of an answer that are written.
var kept = [...]string{"Content-Type", "Retry-After"}

// text is written as a string, or as {"base64":…} when it is no UTF-8.
type text []byte

// MarshalJSON implements json.Marshaler.
func (t text) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	var err error
	if utf8.Valid(t) {
		err = enc.Encode(string(t))
	} else {
		err = enc.Encode(map[string]string{"base64": base64.StdEncoding.EncodeToString(t)})
	}
	return bytes.TrimSpace(out.Bytes()), err
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *text) UnmarshalJSON(raw []byte) error {
	if raw[0] == '"' {
		var s string
		err := json.Unmarshal(raw, &s)
		*t = text(s)
		return err
	}
	var binary struct{ Base64 []byte }
	err := json.Unmarshal(raw, &binary)
	*t = binary.Base64
	return err
}

// address returns the path and query of a request; values that may be keys are taken out.
func address(u *url.URL) string {
	query := u.Query()
	for name := range query {
		if low := strings.ToLower(name); strings.Contains(low, "key") || strings.Contains(low, "token") || strings.Contains(low, "secret") {
			query.Set(name, hidden)
		}
	}
	if len(query) == 0 {
		return u.Path
	}
	return u.Path + "?" + query.Encode()
}

const hidden = "[key]"

// harmless are the headers of a request whose values anybody may see.
var harmless = [...]string{"Accept", "Accept-Encoding", "Anthropic-Beta", "Anthropic-Version", "Content-Length", "Content-Type", "User-Agent", "X-Amz-Date"}

// shortSecret is the length from which a value, or a field of one, counts as a secret: shorter ones occur in any text.
const shortSecret = 8

// secrets returns what a request may prove itself with: the values of all headers that are not harmless, and the fields of
// these values, because a server may quote a signature alone. The longest come first.
func secrets(h http.Header) []string {
	var all []string
	for name, values := range h {
		if slices.Contains(harmless[:], name) {
			continue
		}
		for _, value := range values {
			fields := strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(" ,;=", r) })
			for _, secret := range append(fields, value) {
				if len(secret) >= shortSecret && !slices.Contains(harmless[:], http.CanonicalHeaderKey(secret)) {
					all = append(all, secret)
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return all
}

func without(b []byte, secrets []string) []byte {
	for _, s := range secrets {
		b = bytes.ReplaceAll(b, []byte(s), []byte(hidden))
	}
	return b
}
