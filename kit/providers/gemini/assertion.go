package gemini

import (
	"cmp"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"time"
)

// lasting is how long a statement is valid: the most that Google takes.
const lasting = time.Hour

// assertion makes the signed statement (a JWT, RS256) by which a service account asks for a token.
func assertion(f *GoogleFile, now time.Time) (string, error) {
	key, err := privateKey(f.Key)
	if err != nil {
		return "", fmt.Errorf("key of the service account %s: %w", f.Email, err)
	}
	head, err := json.Marshal(map[string]string{"alg": "RS256", "typ": "JWT", "kid": f.KeyID})
	if err != nil {
		return "", err
	}
	claims, err := json.Marshal(map[string]any{
		"iss": f.Email, "scope": scope, "aud": cmp.Or(f.TokenURL, tokenURL), "iat": now.Unix(), "exp": now.Add(lasting).Unix(),
	})
	if err != nil {
		return "", err
	}
	text := base64.RawURLEncoding.EncodeToString(head) + "." + base64.RawURLEncoding.EncodeToString(claims)
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		return "", err
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}

func privateKey(text string) (*rsa.PrivateKey, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("not in the form PEM")
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	key, ok := parsed.(*rsa.PrivateKey)
	if !ok {
		return nil, errors.New("not a key of RSA")
	}
	return key, nil
}
