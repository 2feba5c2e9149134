package harness

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rein/redact"
)

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// found returns the mask after a whole search.
func found(t *testing.T, dir string) *redact.Filter {
	t.Helper()
	f := &secretFinder{Dirs: []string{dir}, Mask: redact.New(nil)}
	f.Look()
	<-f.done
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return f.Mask
}

// TestValuesAtAnyDepth is hole 4 of an attack: masks by path can be outnumbered, so values are masked wherever they are.
func TestValuesAtAnyDepth(t *testing.T) {
	dir := t.TempDir()
	for i := range 150 { // more directories than anybody masks by path
		write(t, filepath.Join(dir, fmt.Sprint("d", i), "a/b/c/d/e", ".env"), fmt.Sprintf("# local\nexport DB_PASSWORD='hid-d3n-%d-x'\nPORT=3000\nMODE=development\n", i))
	}
	write(t, filepath.Join(dir, "node_modules/x/build/.npmrc"), "//registry.test/:_authToken=npm-t0ken-value-77\n")
	write(t, filepath.Join(dir, "deploy/.netrc"), "machine h.test login me password 0ld-sch00l-pass\n")
	write(t, filepath.Join(dir, "deploy/.env.production"), "URL=https://me:pa55-of-url@db.test/x\nSECRET_KEY=development\nAUTH=http://localhost:3000\n")
	write(t, filepath.Join(dir, "main.go"), "const Token = \"not-a-file-of-secrets-9\"\n")
	mask := found(t, dir)
	for _, secret := range []string{"hid-d3n-0-x", "hid-d3n-149-x", "npm-t0ken-value-77", "pa55-of-url"} {
		if shown := mask.String("copy: " + secret); strings.Contains(shown, secret) {
			t.Errorf("%s is shown: %s", secret, shown)
		}
	}
	for _, open := range []string{"development", "http://localhost:3000", "3000", "not-a-file-of-secrets-9"} {
		if shown := mask.String(open); shown != open {
			t.Errorf("%s is hidden: %s", open, shown)
		}
	}
}

// TestEachFileHasItsShare: decoys with many values keep no value of another file out, and what is not masked is known.
func TestEachFileHasItsShare(t *testing.T) {
	dir := t.TempDir()
	for _, decoy := range []string{"a/.env", "b/.env"} {
		var text strings.Builder
		for i := range 1500 {
			fmt.Fprintf(&text, "TOKEN_%d=d3coy-%s-%d-x\n", i, decoy[:1], i)
		}
		write(t, filepath.Join(dir, decoy), text.String())
	}
	write(t, filepath.Join(dir, "z/.env"), "KEY=th3-real-value-9\n")
	f := &secretFinder{Dirs: []string{dir}, Mask: redact.New(nil)}
	f.Look()
	<-f.done
	defer f.Close()
	if shown := f.Mask.String("th3-real-value-9"); strings.Contains(shown, "real") {
		t.Errorf("env-15 a value is shown: %s", shown)
	}
	if why := f.Open(t.Context(), nil); !strings.Contains(why, "a/.env") || !strings.Contains(why, "b/.env") || strings.Contains(why, "z/.env") {
		t.Errorf("not masked: %q", why)
	}
	small := &secretFinder{Dirs: []string{filepath.Join(dir, "z")}, Mask: redact.New(nil)}
	defer small.Close()
	if why := small.Open(t.Context(), nil); why != "" {
		t.Errorf("all is masked, but %q", why)
	}
	deep := filepath.Join(t.TempDir(), "top")
	write(t, filepath.Join(deep, strings.Repeat("d/", 276)+".env"), "KEY=far-b3low-7\n")
	below := &secretFinder{Dirs: []string{deep}, Mask: redact.New(nil)}
	defer below.Close()
	if why := below.Open(t.Context(), nil); !strings.Contains(why, "d/d") {
		t.Errorf("a directory was not searched, but %q", why)
	}
	many := t.TempDir()
	write(t, filepath.Join(many, ".env"), strings.Repeat("A=1\n", mostValues+1)+"KEY=behind-th3-limit-7\n")
	long := &secretFinder{Dirs: []string{many}, Mask: redact.New(nil)}
	defer long.Close()
	if why := long.Open(t.Context(), nil); !strings.Contains(why, ".env") {
		t.Errorf("a file was not read to its end, but %q", why)
	}
}

func TestASearchIsBounded(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, ".env"), "API_KEY=abcd-1234-efgh\n")
	f := &secretFinder{Dirs: []string{dir}, Mask: redact.New(nil), Time: time.Nanosecond}
	f.Look() // ends at once, without its files
	<-f.done
	if shown := f.Mask.String("abcd-1234-efgh"); strings.Contains(shown, "hidden") {
		t.Error("the limit of time does not hold")
	}
	f.Time, f.took = 0, time.Hour
	f.Look() // too soon
	if shown := f.Mask.String("abcd-1234-efgh"); strings.Contains(shown, "hidden") {
		t.Error("it looked again at once")
	}
	f.took = 0
	f.Look()
	<-f.done
	if shown := f.Mask.String("abcd-1234-efgh"); !strings.Contains(shown, "[hidden: API_KEY of .env]") {
		t.Error("not found:", shown)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// TestValuesOfEachFormat has a row for each way in which a file of secrets writes a value.
func TestValuesOfEachFormat(t *testing.T) {
	rows := map[string][2]string{
		"a/.netrc":           {"machine h.test login me password 0ld-sch00l-pass\n", "0ld-sch00l-pass"},
		"b/.pgpass":          {"db.test:5432:app:me:pg-Pass-77x\n", "pg-Pass-77x"},
		"c/.env":             {"PASSWORD=comm3nt-after-x # the old one\n", "comm3nt-after-x"},
		"d/credentials.json": {`{"user":"me","password":"json-0ne-line-pw","x":"y"}`, "json-0ne-line-pw"},
		"f/.env":             {"API_KEY=\"multi-w0rd value with blanks\"\n", "multi-w0rd value with blanks"},
		"g/.env":             {`API_KEY="esc-q\"uote-9z"`, `esc-q"uote-9z`},
		"h/.env":             {"STRIPE=zz-live-51Hx9QpLmN8Rt\n", "zz-live-51Hx9QpLmN8Rt"},
		"i/.git-credentials": {"https://me:gitCr3d-9x@git.test\n", "gitCr3d-9x"},
		"j/.env":             {"fish\nset -x DB_PASSWORD fish-Sh3ll-pw\n", "fish-Sh3ll-pw"},
		"k/.env":             {strings.Repeat("# padding\n", 200000) + "TOKEN=far-down-T0ken\n", "far-down-T0ken"},
		"l/.my.cnf":          {"[client]\npassword = my-Cnf+pw8\n", "my-Cnf+pw8"},
		"m/.env":             {"SALT=pa55-2short\nMY_PASSPHRASE=correct horse st4ple\n", "correct horse st4ple"},
		"n/secrets.yaml":     {"db:\n  password: y4ml-pass-x\n", "y4ml-pass-x"},
		"o/terraform.tfvars": {"db_password = \"tf-v4rs-pass\"\n", "tf-v4rs-pass"},
		"p/.htpasswd":        {"me:$apr1$abcd$zzzzzzzz\n", "$apr1$abcd$zzzzzzzz"},
		"q/.env.local":       {"PASSWORD: \"x-y4ml-ish-1\" \n", "x-y4ml-ish-1"},
		"r/secret.json":      {"{\"type\":\"service_account\",\"private_key\":\"-----BEGIN PRIVATE KEY-----\\nMIIEvAIBADANBgkqhkiG9w0BAQEFAASC\\n-----END PRIVATE KEY-----\\n\"}", "MIIEvAIBADANBgkqhkiG9w0BAQEFAASC"},
		"s/.env":             {"PASSWORD=line1-of-it-aa\\\nline2-of-it-bb\n", "line1-of-it-aaline2-of-it-bb"},
		"t/.env":             {"export TOKEN=one-T0ken-x; export OTHER_SECRET=two-S3cret-y\n", "two-S3cret-y"},
		"u/.env":             {"KEY=\"l1ne-One\nl1ne-Two=bb-9f82-zz\"\n", "l1ne-Two=bb-9f82-zz"},
		"v/.env":             {"\ufeffPASSWORD=bom-first-9x\r\n", "bom-first-9x"},
		"x/ca.pem":           {certificate + "# password of the key: in-a-C0mment-9x\n" + certificate, "in-a-C0mment-9x"},
		"y/ca.pem":           {certificate + "PASSPHRASE=0utside-a-bl0ck\n", "0utside-a-bl0ck"},
		"A/secrets/live.py":  {"DB_PASSWORD = 'pr0duction-pw-x'\nKEYS = {\"api_key\": \"k-0ther-one\"}\n", "pr0duction-pw-x"},
		"B/credentials/x.ts": {"export const keys = {token: \"in-c0de-T0ken\"};\n", "in-c0de-T0ken"},
		"C/.netrc":           {"machine h.test\nlogin me\npassword\n  n3xt-line-pass\n", "n3xt-line-pass"},
		"z/both.pem":         {certificate + "# key 77-c0mment-of-a-key\n-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIIrYSSNQFaA2Hwf1duRSxKtLYX5CB04fSeQ6tF1aY/PuoAoGCCqGSM49\n-----END EC PRIVATE KEY-----\n", "MHcCAQEEIIrYSSNQFaA2Hwf1duRSxKtLYX5CB04fSeQ6tF1aY/PuoAoGCCqGSM49"},
		"w/id_rsa":           {"-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\nQyNTUxOQAAACBkb3Jvd3MtbGluZQ\n-----END OPENSSH PRIVATE KEY-----\n", "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW"},
	}
	dir := t.TempDir()
	for name, row := range rows {
		write(t, filepath.Join(dir, name), row[0])
	}
	mask := found(t, dir)
	for name, row := range rows {
		if shown := mask.String("copy: " + row[1] + " end"); strings.Contains(shown, row[1]) {
			t.Errorf("env-10 a file of secrets in another format, %s: %s", name, shown)
		}
	}
}

const certificate = "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUUZ0l3yZ0Z1F1b0N2p5c6m1l3c2QwCgYIKoZIzj0EAwIw\nFzEVMBMGA1UEAwwMRXhhbXBsZSBSb290MB4XDTI2MDEwMQ==\n-----END CERTIFICATE-----\n"

// The certificates of all authorities come with many programs, as in each environment of Python, and code of packages for credentials with
// many libraries: words of them are no secrets, and do not make each command one that may show what is hidden.
func TestCertificatesAndCodeAreNoSecrets(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "vendor/grpc/credentials/tls.go"), "package credentials\n"+strings.Repeat("func (c *tlsCreds) ClientHandshake(ctx context.Context, authority string) (net.Conn, AuthInfo, error) { token := writeTempTokenFile(t, token) }\nvar TokenPath = \"/latest/api-v1/token\"\n", 1500))
	write(t, filepath.Join(dir, "credentials/cached.json"), "{\"error\":\"missing token\", \"expiresAt\": 5}\n")
	write(t, filepath.Join(dir, "dump.pem"), "        Subject Public Key Info:\n            Public Key Algorithm: id-ecPublicKey\n                Public-Key: (384 bit)\n            X509v3 Key Usage: critical\n"+certificate)
	about := "# Issuer: CN=Example Certification Authority O=Example Trust OU=Root CA\n# MD5 Fingerprint: 3e:45:52:15:09:51:92:e1:b7:5d:37:9f:b1:87:29:8a\n"
	write(t, filepath.Join(dir, ".venv/cacert.pem"), strings.Repeat(about+certificate, 300))
	write(t, filepath.Join(dir, "curl.pem"), strings.Repeat("Example Certification Authority\n===============================\n"+certificate, 140))
	write(t, filepath.Join(dir, ".env"), "AUTHOR=Jane-Example-Doe\nAUTHORIZATION=basic-w0rds-9x\nAUTH_REDIRECT=/sign-in\n")
	f := &secretFinder{Dirs: []string{dir}, Mask: redact.New(nil)}
	f.Begin()
	<-f.done
	defer f.Close()
	if why := f.Open(t.Context(), nil); why != "" {
		t.Error(why)
	}
	for text, hidden := range map[string]bool{"O=Example": false, about: false, "===============================": false, "Jane-Example-Doe": false, "/sign-in": false, "basic-w0rds-9x": true,
		"writeTempTokenFile(t, token)": false, "authority string) (net.Conn, AuthInfo, error)": false, "/latest/api-v1/token": false, `"expiresAt":`: false, "Public-Key: (384 bit) X509v3 Usage: Algorithm:": false,
		"MIIBszCCAVmgAwIBAgIUUZ0l3yZ0Z1F1b0N2p5c6m1l3c2QwCgYIKoZIzj0EAwIw": false} {
		if shown := f.Mask.String(text); (shown != text) != hidden {
			t.Errorf("%q is shown as %q", text, shown)
		}
	}
}

// A file that a program wrote is known when its call ends: short searches are not held back.
func TestANewFileIsKnownAtOnce(t *testing.T) {
	dir := t.TempDir()
	f := &secretFinder{Dirs: []string{dir}, Mask: redact.New(nil)}
	f.Look()
	<-f.done
	f.took = shortWait
	write(t, filepath.Join(dir, ".env"), "API_KEY=abcd-1234-efgh\n")
	f.Again()
	<-f.done
	if shown := f.Mask.String("abcd-1234-efgh"); strings.Contains(shown, "abcd") {
		t.Error("not found:", shown)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// Hostile files do not hold a search up.
func TestHostileFiles(t *testing.T) {
	for name, text := range map[string]string{
		"colons": strings.Repeat(":", mostBytes), "names": strings.Repeat("token ", mostBytes/6), "quotes": strings.Repeat("key='", mostBytes/5),
		"lines": strings.Repeat("key=a\\\n", mostBytes/7), "blanks": strings.Repeat("key= ", mostBytes/5),
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, ".env"), text)
		began := time.Now()
		(&secretFile{}).look(filepath.Join(dir, ".env"))
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("%s: %v", name, took)
		}
		t.Log(name, time.Since(began))
	}
}

// A file system that does not answer holds up neither a call nor the end of a session.
func TestASearchThatHangs(t *testing.T) {
	f := &secretFinder{done: make(chan struct{}), stop: func() {}} // it never ends
	ended := make(chan error)
	go func() {
		f.Look()
		f.Again()
		ended <- f.Close()
	}()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("it waits for the search")
	}
}
