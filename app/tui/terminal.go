package tui

// fps is how often the screen is drawn at most: over ssh less often.
func fps(getenv func(string) string) int {
	if getenv("SSH_CONNECTION") != "" {
		return 30
	}
	return 60
}

// rendererEnvironment is what the renderer may know: it would run tmux to ask for colours, and ours come from the theme.
func rendererEnvironment(getenv func(string) string) []string {
	var env []string
	for _, name := range []string{"TERM", "TERM_PROGRAM", "SSH_TTY", "SSH_CONNECTION", "WT_SESSION", "COLORTERM"} {
		if v := getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}
