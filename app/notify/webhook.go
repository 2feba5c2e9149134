package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// CheckWebhook refuses an address that nothing is sent to: it must be https, or http on this machine.
func CheckWebhook(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && !(u.Scheme == "http" && (u.Hostname() == "localhost" || u.Hostname() == "127.0.0.1" || u.Hostname() == "::1")) {
		return fmt.Errorf("the webhook %q: expected an address with https, or http on this machine", address)
	}
	return nil
}

// Post sends a value to a webhook, as JSON, signed as Signed says. Redirects are not followed.
func Post(ctx context.Context, address, key string, value any) error {
	if err := CheckWebhook(address); err != nil {
		return err
	}
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, channelTime)
	defer stop()
	request, err := Signed(ctx, address, key, body)
	if err != nil {
		return err
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("webhook: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode >= 300 {
		return fmt.Errorf("webhook: %s answered %s", request.URL.Host, answer.Status)
	}
	return nil
}

// Signed makes the request that sends JSON to a webhook. With a key the header X-Rein-Signature has "sha256=" and the HMAC of
// the header X-Rein-Time, a full stop, and the body, in hex.
func Signed(ctx context.Context, address, key string, body []byte) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	at := strconv.FormatInt(time.Now().Unix(), 10)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Rein-Time", at)
	if key != "" {
		mac := hmac.New(sha256.New, []byte(key))
		mac.Write([]byte(at + "."))
		mac.Write(body)
		request.Header.Set("X-Rein-Signature", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	}
	return request, nil
}
