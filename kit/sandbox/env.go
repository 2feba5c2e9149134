package sandbox

// Env makes a child's environment from a parent's: only what is on the allow-list and has a harmless name comes
// through, so that an unknown secret is left out. The markers show a program that an agent runs it and that
// nobody is there to answer a question. The result is sorted by name.
func Env(parent []string) []string { return allowedEnv(parent) }

// Depth returns how many rein processes are around a program with this environment: 0 if no rein started it. A value of
// the variable that is not a valid number counts as one.
func Depth(env []string) int { return reinDepth(env) }

// SecretName reports whether the name of a variable marks its value as a secret.
func SecretName(name string) bool { return isSecretName(name) }
