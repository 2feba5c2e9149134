package shell

import "slices"

// isTameOption reports whether switching on an option of set -o or shopt -s leaves the meaning of words and commands as it is, or
// only changes which names wildcards match.
func isTameOption(name string) bool {
	return name == "" || slices.Contains([]string{
		"allexport", "braceexpand", "emacs", "errexit", "errtrace", "functrace", "hashall", "histexpand", "history", "ignoreeof", "monitor", "noclobber", "noglob",
		"nolog", "notify", "nounset", "physical", "pipefail", "verbose", "vi", "xtrace",
		"autocd", "cdspell", "checkhash", "checkjobs", "checkwinsize", "cmdhist", "direxpand", "dirspell", "dotglob", "execfail", "extglob", "extquote", "failglob", "globasciiranges",
		"globskipdots", "globstar", "histappend", "histreedit", "histverify", "hostcomplete", "huponexit", "inherit_errexit", "interactive_comments", "lithist", "nocaseglob",
		"no_empty_cmd_completion", "nullglob", "patsub_replacement", "progcomp", "promptvars", "sourcepath", "shift_verbose", "expand_aliases",
	}, name)
}

// isNeededOption reports whether switching off an option of shopt changes what words mean.
func isNeededOption(name string) bool {
	return slices.Contains([]string{"extquote", "globskipdots", "interactive_comments", "patsub_replacement"}, name)
}
