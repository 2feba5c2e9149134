package notify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestTheWebhookIsSigned(t *testing.T) {
	var body, signature, at string
	status := http.StatusNoContent
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		body, signature, at = string(text), r.Header.Get("X-Rein-Signature"), r.Header.Get("X-Rein-Time")
		w.WriteHeader(status)
	}))
	defer server.Close()
	n := Note{Kind: Task, Title: "nightly", Text: "all green"}
	if err := Post(t.Context(), server.URL, "key", n); err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha256.New, []byte("key"))
	mac.Write([]byte(at + "." + body))
	if signature != "sha256="+hex.EncodeToString(mac.Sum(nil)) || !strings.Contains(body, `"text":"all green"`) || !strings.Contains(body, `"title":"nightly"`) {
		t.Errorf("%s signed %s", body, signature)
	}
	status = http.StatusInternalServerError
	if err := Post(t.Context(), server.URL, "", n); err == nil || signature != "" {
		t.Errorf("%v, %q", err, signature)
	}
	for _, address := range []string{"http://example.com/x", "file:///etc/passwd", "", "https://"} {
		if CheckWebhook(address) == nil {
			t.Errorf("%q is taken", address)
		}
	}
}
