package guards

import (
	"path"
	"slices"
	"strings"

	"rein/guard/effect"
	"rein/kit/shell"
)

// Programs that open, measure and order no file that their words do not name. Where no sandbox closes files of secrets, only these run without
// a question.
var (
	// openNothing are programs that open no file, or only make or remove what they name.
	openNothing = strings.Fields(`: [ basename cd chmod command date dirname echo env exit export false getconf groups hostname id ionice kill let local mkdir nice nohup nproc popd printenv printf
		ps pushd pwd read readonly realpath return rm rmdir seq set shift sleep stdbuf test time timeout touch tr true tty type umask uname unset uptime wait which whoami`)
	// openNamed are programs that open what they name; a directory is an error to them.
	openNamed = strings.Fields(`awk base32 base64 basenc cat cksum cmp column comm cp csplit cut expand fgrep egrep file fmt fold gawk grep head hexdump jq join mawk md5sum mv nl od
		paste pr readlink rev sed sha1sum sha224sum sha256sum sha384sum sha512sum sort strings sum tac tail tee unexpand uniq wc xxd`)
	// openByGit are the subcommands of git that open nothing of the work tree to show or compare it.
	openByGit = strings.Fields(`branch checkout cherry-pick clone commit config describe fetch for-each-ref gc help init log ls-remote merge merge-base mv name-rev pull push rebase
		reflog remote restore rev-list rev-parse revert rm shortlog show-branch show-ref status switch symbolic-ref tag update-ref var version worktree`)
)

// mayOpen reports whether a command may open, measure or order a file of secrets that none of its words names. files are the files of secrets
// that programs can open.
func mayOpen(r *effect.Report, files []string) bool {
	if runsCode(r) {
		return true
	}
	unknown := len(r.Wild) > 0 || slices.ContainsFunc(r.Reads, func(name string) bool { return strings.ContainsAny(name, "*?[…") }) // a name that fits may be a link
	return slices.ContainsFunc(r.Commands, func(words []string) bool { return !opensNamed(words, files, unknown) })
}

// opensNamed reports whether a program is known to open only what its words name, and that is none of files. unknown says that some
// names are not known.
func opensNamed(words, files []string, unknown bool) bool {
	if len(words) == 0 {
		return true
	}
	name, args := path.Base(words[0]), words[1:]
	switch {
	case name == "test" || name == "[":
		return !hasOption(args, "", "-s", "-nt", "-ot", "-ef", "-N")
	case name == "touch":
		return !hasOption(args, "r", "--reference")
	case slices.Contains(openNothing, name):
		return true
	case name == "ls":
		return !hasOption(args, "lgnostSuci", "--size", "--sort", "--format", "--full-time", "--time", "--inode")
	case name == "find":
		return !slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "-") && !slices.Contains(findsNames, a) })
	case name == "git":
		sub := shell.SubCommand(words)
		return len(sub) > 0 && slices.Contains(openByGit, sub[0]) // what it shows of the history has a reason of its own
	case unknown || !namesNone(args, files):
		return false
	case name == "grep" || name == "egrep" || name == "fgrep":
		return !hasOption(args, "rRdf", "--recursive", "--dereference-recursive", "--directories", "--file")
	case name == "rg":
		return !hasOption(args, "u.zf", "--unrestricted", "--hidden", "--search-zip", "--file", "--pre", "--sort", "--sortr") && !slices.ContainsFunc(args, isDotted) && !slices.ContainsFunc(files, isPlain)
	case name == "awk" || name == "gawk" || name == "mawk":
		return !slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, "getline") || strings.Contains(a, "ARGV") })
	case name == "cp":
		return !hasOption(args, "rRa", "--recursive", "--archive")
	}
	return slices.Contains(openNamed, name) && !hasOption(args, "", "--files0-from")
}

// findsNames are the words of find that look at names only.
var findsNames = strings.Fields("-name -iname -path -ipath -wholename -regex -iregex -regextype -type -maxdepth -mindepth -depth -prune -not -a -and -o -or -print -print0 -xdev -mount -follow -L -P -H")

// hasOption reports whether arguments have one of some options: letters alone or together, and words, which may be shortened or have a value.
func hasOption(args []string, letters string, words ...string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		name, _, _ := strings.Cut(a, "=")
		switch {
		case strings.HasPrefix(a, "--"):
			return len(name) > 2 && slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, name) })
		case slices.Contains(words, a):
			return true
		}
		return len(a) > 1 && a[0] == '-' && strings.ContainsAny(a[1:], letters)
	})
}

// namesNone reports whether no word names a file of secrets. A word that is not known may be one.
func namesNone(args, files []string) bool {
	return !slices.ContainsFunc(args, func(a string) bool {
		return strings.Contains(a, "…") || slices.ContainsFunc(files, func(f string) bool {
			return strings.HasSuffix(strings.ToLower(a), strings.ToLower(path.Base(f)))
		})
	})
}

// isDotted reports whether a path has a part that begins with a dot, so that a search that leaves out hidden names leaves it out.
func isDotted(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return strings.HasPrefix(part, ".") && part != "." && part != ".." })
}

func isPlain(name string) bool { return !isDotted(name) }

// searchesContents reports whether git answers by what files held: -S, -G, an object.
func searchesContents(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		return len(a) > 1 && a[0] == '-' && (a[1] == 'S' || a[1] == 'G' || strings.HasPrefix(a, "--find-ob") || strings.HasPrefix(a, "--pickaxe"))
	})
}
