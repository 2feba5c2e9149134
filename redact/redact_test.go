package redact

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
)

// sample makes a run of a class that looks random; keys are made here, so that none is in the source.
func sample(spec string, n int, seed uint64) string {
	set, r := newClass(spec), rand.New(rand.NewPCG(seed, 7))
	var b strings.Builder
	for b.Len() < n {
		if c := byte(r.IntN(127)); (isLetter(c) || isDigit(c)) && set.has(c) {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func TestEveryShape(t *testing.T) {
	var f *Filter
	for _, k := range keys {
		t.Run(k.kind+" "+k.prefix, func(t *testing.T) {
			mask := "[hidden: " + k.kind + "]"
			for _, n := range []int{k.min, (k.min + k.max) / 2, k.max} {
				key := k.prefix + sample(k.class, n, uint64(n))
				for _, around := range []string{"%s", "key=%s\n", `{"k":"%s"}`, "x %s, y", "(%s)"} {
					want := fmt.Sprintf(around, mask)
					if got := f.String(fmt.Sprintf(around, key)); got != want {
						t.Errorf("%d: got %q, want %q", n, got, want)
					}
				}
			}
			if short := k.prefix + sample(k.class, k.min-1, 3); strings.Contains(f.String(short), mask) {
				t.Errorf("too short, yet hidden: %q", f.String(short))
			}
			if k.prefix[0] != ':' {
				if word := "x" + k.prefix + sample(k.class, k.min, 3); strings.Contains(f.String(word), mask) {
					t.Errorf("inside a word, yet hidden: %q", f.String(word))
				}
			}
		})
	}
}

func TestContexts(t *testing.T) {
	key := sample(alnum, 40, 1)
	token := sample(alnum, 32, 2)
	jwt := "eyJ" + sample(alnum, 30, 3) + ".eyJ" + sample(alnum, 60, 4) + "." + sample(alnum, 43, 5)
	pem := "-----BEGIN RSA PRIVATE KEY-----\n" + sample(alnum, 64, 6) + "\n" + sample(alnum, 64, 7) + "\n-----END RSA PRIVATE KEY-----"
	basic := base64.StdEncoding.EncodeToString([]byte("me:hunter22"))
	for _, row := range []struct{ rule, in, want string }{
		{"AWS secret in the credentials file", "aws_secret_access_key = " + key, "aws_secret_access_key = [hidden: secret value]"},
		{"AWS secret in JSON", `"SecretAccessKey": "` + key + `",`, `"SecretAccessKey": "[hidden: secret value]",`},
		{"environment", "MYCO_TOKEN=" + token, "MYCO_TOKEN=[hidden: secret value]"},
		{"export with quotes", `export API_KEY="` + token + `"`, `export API_KEY="[hidden: secret value]"`},
		{"YAML", "  client_secret: " + token + "\n", "  client_secret: [hidden: secret value]\n"},
		{"Ruby", "token => '" + token + "'", "token => '[hidden: secret value]'"},
		{"Go", `apiKey := "` + token + `"`, `apiKey := "[hidden: secret value]"`},
		{"JSON in JSON", `{\"token\":\"` + token + `\"}`, `{\"token\":\"[hidden: secret value]\"}`},
		{"query", "https://h.test/?access_token=" + token + "&x=1", "https://h.test/?access_token=[hidden: secret value]&x=1"},
		{"npmrc", "//registry.npmjs.org/:_authToken=" + token, "//registry.npmjs.org/:_authToken=[hidden: secret value]"},
		{"header of its own", "X-Api-Key: " + token, "X-Api-Key: [hidden: secret value]"},
		{"bearer", "Authorization: Bearer " + token, "Authorization: Bearer [hidden: authorization header]"},
		{"bearer in curl", `-H 'authorization: bearer ` + token + `'`, `-H 'authorization: bearer [hidden: authorization header]'`},
		{"bearer in JSON", `"Authorization":"Bearer ` + token + `"`, `"Authorization":"Bearer [hidden: authorization header]"`},
		{"basic", "Authorization: Basic " + basic, "Authorization: Basic [hidden: authorization header]"},
		{"token in a git remote", "https://me:" + token + "@github.com/x", "https://me:[hidden: password in a URL]@github.com/x"},
		{"token as the user", "https://" + token + "@github.com/x", "https://[hidden: password in a URL]@github.com/x"},
		{"database", "postgres://app:s3cr3tpw@db:5432/x", "postgres://app:[hidden: password in a URL]@db:5432/x"},
		{"web token", "x=" + jwt + ";", "x=[hidden: json web token];"},
		{"private key", "a\n" + pem + "\nb", "a\n[hidden: private key]\nb"},
		{"private key in JSON", `{"k":"` + strings.ReplaceAll(pem, "\n", `\n`) + `\n"}`, `{"k":"[hidden: private key]\n"}`},
		{"private key cut off", strings.TrimSuffix(pem, "-----END RSA PRIVATE KEY-----"), "[hidden: private key]"},
		{"telegram", "bot123456789:AA" + sample(alnum, 33, 8) + "/", "bot123456789[hidden: telegram bot token]/"},
	} {
		t.Run(row.rule, func(t *testing.T) {
			if got := (*Filter)(nil).String(row.in); got != row.want {
				t.Errorf("\n got %q\nwant %q", got, row.want)
			}
		})
	}
}

func TestOrdinaryTextStays(t *testing.T) {
	for rule, text := range map[string]string{
		"git SHA":                   "commit 5d24980a1c0e9b7f3d2c4e6a8b0d1f2e3a4b5c6d",
		"git SHA under token":       "tokenSHA = 5d24980a1c0e9b7f3d2c4e6a8b0d1f2e3a4b5c6d",
		"UUID":                      "id: 123e4567-e89b-12d3-a456-426614174000",
		"UUID as a token":           "token: 123e4567-e89b-12d3-a456-426614174000",
		"checksum":                  "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		"go.sum":                    "rogpeppe/go-internal v1.16.0 h1:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0=",
		"package-lock":              `"integrity": "sha512-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08Q=="`,
		"code":                      `token := parser.nextToken2(base64URL)`,
		"code, long":                "secret = config.Section2.GetSecretValueV2ForBucket1",
		"variable":                  "Authorization: Bearer $GITHUB_TOKEN_2024_LONG",
		"manual":                    "Authorization: Bearer YOUR_ACCESS_TOKEN_1_GOES_HERE_example",
		"placeholder":               "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
		"placeholder of AWS":        "AKIAIOSFODNN7EXAMPLE",
		"URL with a user":           "ssh://git@github.com/x",
		"URL with the manual's own": "https://user:password@example.com/",
		"URL with a variable":       "https://me:$TOKEN@example.com/ https://me:${TOKEN}@example.com/",
		"npm scope":                 "https://registry.npmjs.org/@babel/core",
		"public key":                "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END PUBLIC KEY-----",
		"certificate":               "-----BEGIN CERTIFICATE-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END CERTIFICATE-----",
		"English":                   "the secret token of passwords: never share credentials, tokens=many",
		"tokens of a model":         `"max_tokens": 4096, "token_count": 12345678901234567890`,
		"css":                       "mask-image: sk-fading-circle-container-12345678901234567890123456",
		"path":                      "token_file=/var/run/secrets/kubernetes.io/serviceaccount/token",
	} {
		if got := (*Filter)(nil).String(text); got != text {
			t.Errorf("%s: %q became %q", rule, text, got)
		}
	}
}

// env-02, env-04, env-06: known values, also in the encodings in which they come back.
func TestKnownValues(t *testing.T) {
	value := `c@nary/"Q7+z=` + "\u00e9 <x>"
	f := New([]Value{{Name: "MYCO_ACCESS", Text: value}, {Text: "hunter2x"}, {Name: "tiny", Text: "abc"}})
	quoted, _ := json.Marshal(value)
	for rule, text := range map[string]string{
		"plain":                  value,
		"in a word":              "xx" + value + "yy",
		"JSON":                   string(quoted[1 : len(quoted)-1]),
		"query":                  url.QueryEscape(value),
		"query in small letters": lowerPercent(url.QueryEscape(value)),
		"path":                   url.PathEscape(value),
		"HTML":                   html.EscapeString(value),
		"hex":                    fmt.Sprintf("%x", value),
		"hex in capitals":        fmt.Sprintf("%X", value),
	} {
		if got, want := f.String("<<"+text+">>"), "<<"; !strings.Contains(got, "[hidden: MYCO_ACCESS]") || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q", rule, got)
		}
	}
	if got := f.String("a hunter2x b"); got != "a [hidden: secret] b" {
		t.Errorf("unnamed: %q", got)
	}
	if got := f.String("abc"); got != "abc" {
		t.Errorf("a value of three letters is hidden: %q", got)
	}
	for lead := range 4 {
		for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding} {
			coded := enc.EncodeToString([]byte(strings.Repeat("p", lead) + value + "tail"))
			got := f.String(coded)
			if !strings.Contains(got, "[hidden: MYCO_ACCESS]") || len(got) > 2*lead+16+len("[hidden: MYCO_ACCESS]") {
				t.Errorf("base64 after %d bytes: %q", lead, got)
			}
		}
	}
}

// A variable that is called a secret may hold a word; the word stays in other texts.
func TestWordsAreNotSecretsUnlessDeclared(t *testing.T) {
	for value, hidden := range map[string]bool{
		"postgres": false, "password": false, "Changeme": false, "development": false, "my-app-dev": false, "secret123": false, "1234567": false,
		"s3cr3t-pw": true, "hunter2x": true, "PASSWORD1": true, "aB3dE6gH": true, "12345678901": true, "correcthorsebatterystaple": true, "p@ssword": true, "1q2w3e4r": true,
	} {
		if got := New([]Value{{Name: "PW", Text: value}}).String("x " + value + " y"); (got == "x [hidden: PW] y") != hidden {
			t.Errorf("%s: %q", value, got)
		}
		if got := New([]Value{{Name: "PW", Text: value, Declared: true}}).String("x " + value + " y"); got != "x [hidden: PW] y" {
			t.Errorf("%s, declared: %q", value, got)
		}
	}
}

func TestKnownValueStandsOverAShape(t *testing.T) {
	key := "ghp_" + sample(alnum, 36, 9)
	f := New([]Value{{Name: "GH", Text: key}, {Name: "LONG", Text: sample(alnum, 10, 10) + "$$" + sample(alnum, 10, 11)}})
	if got := f.String("t=" + key); got != "t=[hidden: GH]" {
		t.Error(got)
	}
	long := sample(alnum, 10, 10) + "$$" + sample(alnum, 10, 11)
	if got := f.String("token=" + sample(alnum, 30, 12) + long + "|"); strings.Contains(got, long[:6]) || strings.Contains(got, long[14:]) {
		t.Errorf("a value that begins inside a detected key shows its end: %q", got)
	}
}

func TestValueOfSeveralLines(t *testing.T) {
	first, second := sample(alnum, 40, 13), sample(alnum, 40, 14)
	f := New([]Value{{Name: "K", Text: first + "\n" + second + "\n"}})
	if got := f.String("  " + second + " | " + first); got != "  [hidden: K] | [hidden: K]" {
		t.Error(got)
	}
}

func TestTextWithoutSecretsIsNotCopied(t *testing.T) {
	text := []byte("nothing to see here, token by token")
	if got := (*Filter)(nil).Bytes(text); &got[0] != &text[0] {
		t.Error("copied")
	}
}
