package sandbox

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Env makes a child's environment from a parent's: only what is on the allow-list and has a harmless name comes
// through, so that an unknown secret is left out. The markers show a program that an agent runs it and
// that nobody is there to answer a question. The result is sorted by name.
func Env(parent []string) []string {
	kept := map[string]string{}
	for _, pair := range parent {
		name, value, ok := strings.Cut(pair, "=")
		if ok && allowed(name) && !SecretName(name) && !holdsPassword(value) {
			if name == "PATH" {
				value = absolutePath(value)
			}
			kept[name] = value
		}
	}
	for _, pair := range markers() {
		name, value, _ := strings.Cut(pair, "=")
		kept[name] = value
	}
	kept[depthName] = strconv.Itoa(Depth(parent) + 1)
	return joined(kept)
}

// passwordInURL finds a password, or a long name that is rather a token, in an address: GOPROXY=https://me:password@proxy.
var passwordInURL = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`://[^/\s@]*:[^/\s@]+@|://[^/\s:@]{20,}@`)
})

func holdsPassword(value string) bool {
	return strings.Contains(value, "@") && passwordInURL().MatchString(value)
}

// depthName is the variable that counts how many rein processes are around a program.
const depthName = "REIN_DEPTH"

// Depth returns how many rein processes are around a program with this environment: 0 if no rein started it. A value of
// the variable that is not a valid number counts as one.
func Depth(env []string) int {
	text := lookupEnv(env, depthName)
	if text == "" && lookupEnv(env, "REIN") == "" {
		return 0
	}
	if n, err := strconv.Atoi(text); err == nil && n > 0 && n < 1000 {
		return n
	}
	return 1
}

// absolutePath leaves the relative directories out of a PATH, the empty one too: by them a bare name would run what lies
// in the workspace, in a shell as in lookPath. A directory of the workspace by its whole name is the user's word.
func absolutePath(path string) string {
	dirs := slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool { return !filepath.IsAbs(dir) })
	return strings.Join(dirs, string(filepath.ListSeparator))
}

// markers are the variables that every child gets, whatever the parent's were.
func markers() []string {
	return []string{
		"AI_AGENT=rein", "REIN=1", "CI=1", "NO_COLOR=1",
		"PAGER=cat", "GIT_PAGER=cat", "MANPAGER=cat", "EDITOR=false", "GIT_EDITOR=false", "GIT_SEQUENCE_EDITOR=true",
		"GIT_OPTIONAL_LOCKS=0", "GIT_CONFIG_COUNT=3", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0=false", // looking at a repository runs nothing
		"GIT_CONFIG_KEY_1=gc.auto", "GIT_CONFIG_VALUE_1=0", "GIT_CONFIG_KEY_2=maintenance.auto", "GIT_CONFIG_VALUE_2=false", // none that continues when the command has ended
		"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=true", "SSH_ASKPASS_REQUIRE=never", "DEBIAN_FRONTEND=noninteractive",
	}
}

// allowed reports whether a variable is on the list of what programs need to work. Where caches are kept (GOCACHE,
// XDG_CACHE_HOME) is not: in the sandbox only the usual place can be written.
func allowed(name string) bool {
	if strings.HasPrefix(name, "LC_") {
		return true
	}
	switch name {
	case "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TERM", "TZ", "TMPDIR", "PWD",
		"GOROOT", "GOPATH", "GOMODCACHE", "GOFLAGS", "GOTOOLCHAIN", "GOOS", "GOARCH", "CGO_ENABLED", "GO111MODULE",
		"GOMAXPROCS", "GOPROXY", "GOSUMDB", "GOEXPERIMENT",
		"CC", "CXX", "CFLAGS", "CXXFLAGS", "LDFLAGS", "MAKEFLAGS", "PKG_CONFIG_PATH", "LD_LIBRARY_PATH",
		"CARGO_HOME", "RUSTUP_HOME", "RUSTFLAGS", "RUSTUP_TOOLCHAIN",
		"JAVA_HOME", "MAVEN_HOME", "GRADLE_HOME", "ANDROID_HOME", "ANDROID_SDK_ROOT",
		"NODE_PATH", "NODE_ENV", "NVM_DIR", "VOLTA_HOME", "PNPM_HOME", "BUN_INSTALL", "DENO_DIR",
		"PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_ROOT", "PYENV_VERSION",
		"GEM_HOME", "GEM_PATH", "RBENV_ROOT", "ASDF_DIR", "ASDF_DATA_DIR", "MISE_DATA_DIR", "DOTNET_ROOT",
		"XDG_CONFIG_HOME", "XDG_DATA_HOME", "SOURCE_DATE_EPOCH", "COLUMNS", "LINES",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
		"SystemRoot", "SYSTEMROOT", "ComSpec", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA":
		return true
	}
	return false
}

// SecretName reports whether the name of a variable marks its value as a secret.
func SecretName(name string) bool {
	name = strings.ToUpper(name)
	for _, end := range []string{"_KEY", "_TOKEN", "_SECRET", "_CREDENTIALS", "_PAT", "_AUTH"} {
		if strings.HasSuffix(name, end) || name == end[1:] {
			return true
		}
	}
	for _, part := range []string{"PASSWORD", "PASSWD", "PASSPHRASE", "SECRET", "APIKEY", "API_KEY", "ACCESS_KEY", "PRIVATE_KEY"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return strings.HasPrefix(name, "OTEL_") && strings.HasSuffix(name, "_HEADERS") // with keys of a receiver
}

// mergeEnv lays pairs over an environment, the last of a name wins, sorted by name. A pair without "=" or with
// a NUL in it is left out: it would shift or cut what the child reads.
func mergeEnv(base []string, pairs ...string) []string {
	all := map[string]string{}
	for _, list := range [][]string{base, pairs} {
		for _, pair := range list {
			name, value, ok := strings.Cut(pair, "=")
			if ok && name != "" && !strings.ContainsRune(pair, 0) {
				all[name] = value
			}
		}
	}
	return joined(all)
}

func joined(env map[string]string) []string {
	pairs := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		pairs = append(pairs, name+"="+env[name])
	}
	return pairs
}

// elsewhereEnv is what programs that run elsewhere have of an environment: the language and the terminal of the user, and the markers.
func elsewhereEnv(parent []string) []string {
	env := Env(nil)
	for _, pair := range childEnv(parent, nil) {
		if name, _, _ := strings.Cut(pair, "="); slices.Contains([]string{"LANG", "LANGUAGE", "TERM", "TZ", depthName}, name) || strings.HasPrefix(name, "LC_") {
			env = mergeEnv(env, pair)
		}
	}
	return env
}

// lookupEnv returns the value of a name in an environment.
func lookupEnv(env []string, name string) string {
	for _, pair := range env {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	return ""
}

// proxyAddress is where the proxy listens inside a program's own network.
const proxyAddress = "127.0.0.1:3128"

// proxyEnv points programs to the proxy. Loopback goes direct: servers of the program's own live there.
func proxyEnv() []string {
	const proxy, direct = "http://" + proxyAddress, "localhost,.localhost,127.0.0.1,0.0.0.0,::1"
	host, port, _ := strings.Cut(proxyAddress, ":")
	java := fmt.Sprintf("-Dhttp.proxyHost=%s -Dhttp.proxyPort=%s -Dhttps.proxyHost=%[1]s -Dhttps.proxyPort=%[2]s", host, port) // tools of Java read no variables of proxies
	return []string{
		"HTTP_PROXY=" + proxy, "HTTPS_PROXY=" + proxy, "ALL_PROXY=" + proxy, "NO_PROXY=" + direct,
		"http_proxy=" + proxy, "https_proxy=" + proxy, "all_proxy=" + proxy, "no_proxy=" + direct,
		"NODE_USE_ENV_PROXY=1", "MAVEN_OPTS=" + java, "GRADLE_OPTS=" + java, "SBT_OPTS=" + java,
	}
}
