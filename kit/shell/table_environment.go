package shell

import "strings"

// dangerousFlags reports options that make a tool run something else.
func dangerousFlags(s string) bool {
	for _, bad := range []string{
		"-toolexec", "-exec", "-overlay", "-modfile", "-vettool", "--require", "-r ", "--import", "--loader", "--experimental-loader",
		"-javaagent", "-agentlib", "-agentpath", "-XX:OnError", "-XX:OnOutOfMemory", "--eval", "SHELL=", "-fplugin", "-wrapper",
		"-specs", "-Clinker", "linker=", "-B", "/tmp", "--config", "-f ", "$(",
	} {
		if strings.Contains(s, bad) {
			return true
		}
	}
	return strings.HasPrefix(s, "-r")
}

// runsByOption reports options of pagers, editors and compilers that run something else.
func runsByOption(options string) bool {
	for _, bad := range []string{"-c", "-o", "!", "-e", "-S", "-wrapper", "-fplugin", "-specs", "-B"} {
		if strings.Contains(options, bad) {
			return true
		}
	}
	return false
}

// environmentRule returns the rule by which the reader judges a variable; "" for one that is harmless.
func environmentRule(name string) string {
	if rule := environmentNames().Group(name); rule != "" {
		return rule
	}
	for _, prefix := range []string{"LD_", "DYLD_", "BASH_FUNC_", "GIT_CONFIG_KEY", "GIT_CONFIG_VALUE", "GIT_TRACE2", "CARGO_TARGET_", "_RLD", "REIN_"} {
		if strings.HasPrefix(name, prefix) {
			if name == "CARGO_TARGET_DIR" {
				return "work"
			}
			if strings.HasPrefix(name, "CARGO_TARGET_") && !strings.HasSuffix(name, "_RUNNER") && !strings.HasSuffix(name, "_LINKER") {
				return ""
			}
			return "code"
		}
	}
	return ""
}

// isBareTool reports whether a variable may name a word as its tool.
func isBareTool(word string) bool {
	return bareTools().Has(strings.TrimRight(word, "0123456789.-"))
}
