package bedrock

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
)

// maxProfiles bounds profiles whose roles need each other.
const maxProfiles = 5

// ofProfile returns the keys of a profile; none when it has no source of keys. before are the profiles that led to it.
func (c *CredentialChain) ofProfile(ctx context.Context, name string, before ...string) (Credentials, error) {
	if slices.Contains(before, name) && name != before[len(before)-1] || len(before) >= maxProfiles {
		return Credentials{}, fmt.Errorf("the profiles %s name each other as source_profile", strings.Join(before, ", "))
	}
	p := c.settings(name)
	itself := slices.Contains(before, name) // a role may be assumed with the keys of its own profile
	if arn := p["role_arn"]; arn != "" && !itself {
		return c.ofRole(ctx, p, append(before, name))
	}
	switch {
	case p["aws_access_key_id"] != "":
		return Credentials{KeyID: p["aws_access_key_id"], Secret: p["aws_secret_access_key"], Token: p["aws_session_token"]}, nil
	case p["sso_account_id"] != "":
		return c.signedIn(ctx, p)
	case p["credential_process"] != "":
		return Credentials{}, fmt.Errorf("the profile %s has a credential_process, which rein does not start: set keys by eval \"$(aws configure export-credentials --profile %s --format env)\"", name, name)
	}
	return Credentials{}, nil
}

// ofRole returns the keys of a role that a profile names, with the keys of its source.
func (c *CredentialChain) ofRole(ctx context.Context, p map[string]string, profiles []string) (source Credentials, err error) {
	switch {
	case p["mfa_serial"] != "":
		return source, fmt.Errorf("the role of the profile %s asks for a code of a device (mfa_serial): get keys with the aws program", profiles[len(profiles)-1])
	case p["web_identity_token_file"] != "":
		return c.webIdentity(ctx, p["web_identity_token_file"], p)
	case p["source_profile"] != "":
		source, err = c.ofProfile(ctx, p["source_profile"], profiles...)
	case p["credential_source"] == "Environment":
		source = c.ofEnvironment()
	case p["credential_source"] == "EcsContainer":
		source, err = c.container(ctx, c.Getenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"), c.Getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI"))
	case p["credential_source"] == "Ec2InstanceMetadata":
		source, err = c.machine(ctx)
	}
	if err == nil && source.KeyID == "" {
		err = fmt.Errorf("the profile %s names a role, but no keys that may assume it (source_profile, credential_source)", profiles[len(profiles)-1])
	}
	if err != nil {
		return Credentials{}, err
	}
	form := url.Values{"Action": {"AssumeRole"}}
	for setting, field := range map[string]string{"external_id": "ExternalId", "duration_seconds": "DurationSeconds"} {
		if p[setting] != "" {
			form.Set(field, p[setting])
		}
	}
	return c.assume(ctx, form, p, &source)
}

// webIdentity returns the keys of a role for the token in a file, as a cluster writes it for its containers.
func (c *CredentialChain) webIdentity(ctx context.Context, file string, p map[string]string) (Credentials, error) {
	token, err := os.ReadFile(file)
	if err != nil {
		return Credentials{}, fmt.Errorf("token of a role: %w", err)
	}
	return c.assume(ctx, url.Values{"Action": {"AssumeRoleWithWebIdentity"}, "WebIdentityToken": {strings.TrimSpace(string(token))}}, p, nil)
}

// assume asks the security token service for the keys of a role. The request is signed where keys are given.
func (c *CredentialChain) assume(ctx context.Context, form url.Values, p map[string]string, signer *Credentials) (Credentials, error) {
	form.Set("Version", "2011-06-15")
	form.Set("RoleArn", p["role_arn"])
	form.Set("RoleSessionName", cmp.Or(p["role_session_name"], "rein"))
	region := cmp.Or(c.Getenv("AWS_REGION"), c.Getenv("AWS_DEFAULT_REGION"), p["region"], "us-east-1")
	suffix := ".amazonaws.com"
	if strings.HasPrefix(region, "cn-") {
		suffix += ".cn"
	}
	ctx, cancel := context.WithTimeout(ctx, 10*asking)
	defer cancel()
	body := []byte(form.Encode())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, cmp.Or(c.Getenv("AWS_ENDPOINT_URL_STS"), "https://sts."+region+suffix)+"/", bytes.NewReader(body))
	if err != nil {
		return Credentials{}, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if signer != nil {
		Signer{Region: region, Service: "sts"}.Sign(r, body, *signer, c.now())
	}
	status, text, err := c.send(r)
	if err != nil {
		return Credentials{}, err
	}
	var answer struct {
		Assumed keysOfRole `xml:"AssumeRoleResult>Credentials"`
		Web     keysOfRole `xml:"AssumeRoleWithWebIdentityResult>Credentials"`
		Fault   string     `xml:"Error>Code"`
	}
	err = xml.Unmarshal(text, &answer)
	k := answer.Assumed
	if signer == nil {
		k = answer.Web
	}
	switch {
	case status != http.StatusOK:
		return Credentials{}, fmt.Errorf("the role %s was not given: %s", p["role_arn"], cmp.Or(answer.Fault, http.StatusText(status)))
	case err != nil || k.KeyID == "":
		return Credentials{}, fmt.Errorf("%s did not answer with keys", r.URL.Host)
	}
	return Credentials(k), nil
}

// keysOfRole is how the security token service gives keys.
type keysOfRole struct {
	KeyID   string    `xml:"AccessKeyId"`
	Secret  string    `xml:"SecretAccessKey"`
	Token   string    `xml:"SessionToken"`
	Expires time.Time `xml:"Expiration"`
}
