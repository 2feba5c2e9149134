package bedrock

import (
	"cmp"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// ErrNoKeys means that no source has keys.
var ErrNoKeys = errors.New("no keys were found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or run aws sso login")

// CredentialChain finds keys, in this order: the environment (keys, or a role for a token in a file), the profile (a role of another
// profile or source, keys, a sign-in with aws sso login), the role of a container, the role of a machine. It keeps them until they expire. It must not be copied.
type CredentialChain struct {
	Getenv func(string) string
	Home   string            // of the user
	HTTP   http.RoundTripper // reaches the services that give keys; nil: the default one
	Now    func() time.Time  // nil: time.Now

	// Metadata is the address of the machine's service; "" is the usual one.
	Metadata string

	mu   sync.Mutex
	keys Credentials
}

// early is how long before their end keys are replaced.
const early = 2 * time.Minute

// asking bounds one request for keys; the service of a machine that is none does not answer.
const asking = 2 * time.Second

// Get returns keys that are valid.
func (c *CredentialChain) Get(ctx context.Context) (Credentials, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.keys.KeyID != "" && (c.keys.Expires.IsZero() || c.now().Before(c.keys.Expires.Add(-early))) {
		return c.keys, nil
	}
	var err error
	if c.keys, err = c.find(ctx); err != nil {
		return Credentials{}, fmt.Errorf("keys of AWS: %w", err)
	}
	return c.keys, nil
}

func (c *CredentialChain) now() time.Time {
	if c.Now != nil {
		return c.Now()
	}
	return time.Now()
}

func (c *CredentialChain) find(ctx context.Context) (Credentials, error) {
	if keys := c.ofEnvironment(); keys.KeyID != "" {
		return keys, nil
	}
	if file, role := c.Getenv("AWS_WEB_IDENTITY_TOKEN_FILE"), c.Getenv("AWS_ROLE_ARN"); file != "" && role != "" {
		return c.webIdentity(ctx, file, map[string]string{"role_arn": role, "role_session_name": c.Getenv("AWS_ROLE_SESSION_NAME")})
	}
	if keys, err := c.ofProfile(ctx, c.profile()); keys.KeyID != "" || err != nil {
		return keys, err
	}
	if name := c.Getenv("AWS_PROFILE"); name != "" {
		return Credentials{}, fmt.Errorf("the profile %s has no keys, no sign-in (sso_account_id) and no role (role_arn)", name)
	}
	if relative, full := c.Getenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"), c.Getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI"); relative != "" || full != "" {
		return c.container(ctx, relative, full)
	}
	if c.Getenv("AWS_EC2_METADATA_DISABLED") == "true" {
		return Credentials{}, ErrNoKeys
	}
	keys, err := c.machine(ctx)
	if err != nil {
		return Credentials{}, fmt.Errorf("%w (this machine gives none: %w)", ErrNoKeys, err)
	}
	return keys, nil
}

// Region returns the region that the environment or the profile names; "" when neither does.
func (c *CredentialChain) Region() string {
	return cmp.Or(c.Getenv("AWS_REGION"), c.Getenv("AWS_DEFAULT_REGION"), c.settings(c.profile())["region"])
}

func (c *CredentialChain) ofEnvironment() Credentials {
	if id, secret := c.Getenv("AWS_ACCESS_KEY_ID"), c.Getenv("AWS_SECRET_ACCESS_KEY"); id != "" && secret != "" {
		return Credentials{KeyID: id, Secret: secret, Token: c.Getenv("AWS_SESSION_TOKEN")}
	}
	return Credentials{}
}

// profile is the name of the profile in use.
func (c *CredentialChain) profile() string { return cmp.Or(c.Getenv("AWS_PROFILE"), "default") }

// settings returns the settings of a profile, from both files.
func (c *CredentialChain) settings(name string) map[string]string {
	all := map[string]string{}
	for _, f := range []struct{ variable, file string }{{"AWS_CONFIG_FILE", "config"}, {"AWS_SHARED_CREDENTIALS_FILE", "credentials"}} {
		text, err := os.ReadFile(cmp.Or(c.Getenv(f.variable), filepath.Join(c.Home, ".aws", f.file)))
		if err != nil {
			continue
		}
		sections := readINI(string(text))
		for _, section := range []string{"profile " + name, name} {
			maps.Copy(all, sections[section])
		}
		for k, v := range sections["sso-session "+all["sso_session"]] {
			if all[k] == "" {
				all[k] = v
			}
		}
	}
	return all
}

// readINI reads the sections of a settings file of Amazon's tools.
func readINI(text string) map[string]map[string]string {
	sections := map[string]map[string]string{}
	section := ""
	for line := range strings.Lines(text) {
		indented := line != strings.TrimLeft(line, " \t")
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#' || line[0] == ';' || indented: // indented lines are nested settings of services
		case line[0] == '[':
			section = strings.Join(strings.Fields(strings.Trim(line, "[]")), " ")
			if sections[section] == nil {
				sections[section] = map[string]string{}
			}
		default:
			if k, v, ok := strings.Cut(line, "="); ok && sections[section] != nil {
				sections[section][strings.TrimSpace(k)] = strings.TrimSpace(v)
			}
		}
	}
	return sections
}

// signedIn returns the keys of a role for a user who ran aws sso login.
func (c *CredentialChain) signedIn(ctx context.Context, p map[string]string) (Credentials, error) {
	text, err := os.ReadFile(filepath.Join(c.Home, ".aws", "sso", "cache", hexSHA1(cmp.Or(p["sso_session"], p["sso_start_url"]))+".json"))
	var token struct {
		Access  string    `json:"accessToken"`
		Expires time.Time `json:"expiresAt"`
	}
	if err == nil {
		err = json.Unmarshal(text, &token)
	}
	if err != nil || token.Access == "" || c.now().After(token.Expires) {
		return Credentials{}, errors.New("the sign-in has ended or is missing: run aws sso login")
	}
	base := cmp.Or(c.Getenv("AWS_ENDPOINT_URL_SSO"), "https://portal.sso."+p["sso_region"]+".amazonaws.com")
	query := url.Values{"role_name": {p["sso_role_name"]}, "account_id": {p["sso_account_id"]}}
	var answer struct {
		Role struct {
			KeyID   string `json:"accessKeyId"`
			Secret  string `json:"secretAccessKey"`
			Token   string `json:"sessionToken"`
			Expires int64  `json:"expiration"` // milliseconds
		} `json:"roleCredentials"`
	}
	if err := c.ask(ctx, http.MethodGet, base+"/federation/credentials?"+query.Encode(), http.Header{"X-Amz-Sso_bearer_token": {token.Access}}, &answer); err != nil {
		return Credentials{}, err
	}
	r := answer.Role
	return Credentials{r.KeyID, r.Secret, r.Token, time.UnixMilli(r.Expires)}, nil
}

// given is how containers and machines give keys.
type given struct {
	AccessKeyId     string
	SecretAccessKey string
	Token           string
	Expiration      time.Time
}

// container returns the keys of the role of a container (ECS, EKS).
func (c *CredentialChain) container(ctx context.Context, relative, full string) (Credentials, error) {
	address := full
	if relative != "" {
		address = "http://169.254.170.2" + relative
	}
	u, err := url.Parse(address)
	if err != nil {
		return Credentials{}, err
	}
	switch host := u.Hostname(); {
	case u.Scheme == "https", host == "localhost", strings.HasPrefix(host, "127."), host == "::1", host == "169.254.170.2", host == "169.254.170.23", host == "fd00:ec2::23":
	default:
		return Credentials{}, fmt.Errorf("AWS_CONTAINER_CREDENTIALS_FULL_URI names %s, which is neither on this machine nor https", host)
	}
	token := c.Getenv("AWS_CONTAINER_AUTHORIZATION_TOKEN")
	if file := c.Getenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"); file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return Credentials{}, err
		}
		token = strings.TrimSpace(string(text))
	}
	header := http.Header{}
	if token != "" {
		header.Set("Authorization", token)
	}
	var g given
	err = c.ask(ctx, http.MethodGet, address, header, &g)
	return Credentials{g.AccessKeyId, g.SecretAccessKey, g.Token, g.Expiration}, err
}

// machine returns the keys of the role of a virtual machine (IMDSv2).
func (c *CredentialChain) machine(ctx context.Context) (Credentials, error) {
	base := cmp.Or(c.Metadata, c.Getenv("AWS_EC2_METADATA_SERVICE_ENDPOINT"), "http://169.254.169.254")
	var token, role string
	if err := c.ask(ctx, http.MethodPut, base+"/latest/api/token", http.Header{"X-Aws-Ec2-Metadata-Token-Ttl-Seconds": {"300"}}, &token); err != nil {
		return Credentials{}, err
	}
	header := http.Header{"X-Aws-Ec2-Metadata-Token": {token}}
	path := base + "/latest/meta-data/iam/security-credentials/"
	if err := c.ask(ctx, http.MethodGet, path, header, &role); err != nil {
		return Credentials{}, err
	}
	role, _, _ = strings.Cut(strings.TrimSpace(role), "\n")
	var g given
	err := c.ask(ctx, http.MethodGet, path+url.PathEscape(role), header, &g)
	return Credentials{g.AccessKeyId, g.SecretAccessKey, g.Token, g.Expiration}, err
}

// ask sends a request for keys. answer is a *string for a text, else it is decoded from JSON. An error shows no answer: it may
// hold a key.
func (c *CredentialChain) ask(ctx context.Context, method, address string, header http.Header, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, address, nil)
	if err != nil {
		return err
	}
	r.Header = header
	status, text, err := c.send(r)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("%s answered %d %s", r.URL.Host, status, http.StatusText(status))
	}
	if s, ok := answer.(*string); ok {
		*s = string(text)
		return nil
	}
	if json.Unmarshal(text, answer) != nil {
		return fmt.Errorf("%s did not answer with keys", r.URL.Host)
	}
	return nil
}

// send sends a request for keys and reads the answer. It follows no redirect.
func (c *CredentialChain) send(r *http.Request) (status int, text []byte, err error) {
	client := http.Client{Transport: c.HTTP, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	got, err := client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer got.Body.Close()
	text, err = io.ReadAll(io.LimitReader(got.Body, 1<<20))
	return got.StatusCode, text, err
}

// hexSHA1 is how Amazon's tools name the file of a sign-in; nothing is protected by it.
func hexSHA1(text string) string {
	sum := sha1.Sum([]byte(text))
	return hex.EncodeToString(sum[:])
}
