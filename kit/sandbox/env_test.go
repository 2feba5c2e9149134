package sandbox

import (
	"slices"
	"strings"
	"testing"
)

func TestEnvLetsOnlyListedHarmlessNamesThrough(t *testing.T) {
	const canary = "canary-7f3a"
	secret := []string{
		"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GITHUB_TOKEN", "GH_TOKEN", "NPM_TOKEN", "AWS_SECRET_ACCESS_KEY",
		"AWS_SESSION_TOKEN", "PGPASSWORD", "MYSQL_PASSWORD_FILE", "MYCO_ACCESS", "DSN", "DATABASE_URL", "SENTRY_DSN", "SSH_AUTH_SOCK",
		"DBUS_SESSION_BUS_ADDRESS", "LD_PRELOAD", "BASH_ENV", "ENV", "GIT_CONFIG_COUNT", "PROMPT_COMMAND", "HTTP_PROXY", "LC_TOKEN", "LC_my_Password",
		"BASH_FUNC_ls%%", "PYTHONSTARTUP", "NODE_OPTIONS", "PERL5OPT", "RUBYOPT", "GIT_SSH_COMMAND",
	}
	var parent []string
	for _, name := range secret {
		parent = append(parent, name+"="+canary)
	}
	for _, pair := range Env(parent) {
		if strings.Contains(pair, canary) {
			t.Errorf("%s reached the child", pair)
		}
	}
}

// The names are on the allow-list, and the values hold a password.
func TestEnvLeavesOutPasswordsInAddresses(t *testing.T) {
	for pair, kept := range map[string]bool{
		"GOPROXY=https://me:canary-7f3a@proxy.example.com,direct": false, "GOPROXY=https://ghp_0123456789abcdefghij@proxy.example.com": false,
		"GOFLAGS=-modcacherw -x=http://:canary@h/": false, "CFLAGS=-DURL=ftp://a:b@h": false,
		"GOPROXY=https://proxy.golang.org,direct": true, "GOPROXY=https://me@proxy.example.com": true, "CFLAGS=-DX=a:b@c": true,
	} {
		if got := slices.Contains(Env([]string{pair}), pair); got != kept {
			t.Errorf("%s: kept %v, want %v", pair, got, kept)
		}
	}
}

func TestEnvKeepsWhatProgramsNeed(t *testing.T) {
	env := Env([]string{"PATH=/bin", "HOME=/home/u", "LC_ALL=C", "GOFLAGS=-mod=mod", "REIN=0", "PAGER=less"})
	for _, want := range []string{"PATH=/bin", "HOME=/home/u", "LC_ALL=C", "GOFLAGS=-mod=mod", "REIN=1", "AI_AGENT=rein", "PAGER=cat", "CI=1", "GIT_TERMINAL_PROMPT=0"} {
		if !slices.Contains(env, want) {
			t.Errorf("%s is missing in %q", want, env)
		}
	}
	if !slices.IsSorted(env) {
		t.Errorf("not sorted: %q", env)
	}
}

func TestMergedEnvironmentIsOneLineAName(t *testing.T) {
	got := mergeEnv([]string{"A=1", "B=2"}, "B=3", "C", "=x", "D=a\x00b", "E=")
	if want := []string{"A=1", "B=3", "E="}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
