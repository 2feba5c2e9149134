package programs

import (
	"rein/guard/shell/fact"
	"rein/guard/shell/judge"
	"rein/guard/shell/table"
)

// Handler judges a program whose arguments are a language of their own. done means that nothing of the table is left to
// apply.
type Handler func(r *Programs, sc *judge.Scope, c *table.Call) (out fact.Data, done bool)

// Named returns the handler of this package that the table calls by a name, nil where it is not one of these.
func Named(how string) Handler { return handlers[how] }

var handlers = map[string]Handler{
	"kill":           killProgram,
	"pgrep":          pgrepProgram,
	"pkill":          pkillProgram,
	"find":           findProgram,
	"bucket":         bucketProgram,
	"dc":             dcProgram,
	"lines":          linesProgram,
	"grep":           grepProgram,
	"fd":             fdProgram,
	"rm":             rmProgram,
	"ln":             lnProgram,
	"copy":           copyProgram,
	"chmod":          chmodProgram,
	"chown":          chownProgram,
	"dd":             ddProgram,
	"tar":            tarProgram,
	"uniq":           uniqProgram,
	"pathname":       pathnameProgram,
	"cat":            catProgram,
	"filter":         filterProgram,
	"sed":            sedProgram,
	"awk":            awkProgram,
	"code":           codeProgram,
	"code-words":     codeWords,
	"pager":          pagerProgram,
	"mount":          mountProgram,
	"clean":          cleanGoal,
	"debugger":       debuggerProgram,
	"keygen":         keygenProgram,
	"api":            apiProgram,
	"language":       languageProgram,
	"java":           javaProgram,
	"runner":         runnerProgram,
	"trace":          traceProgram,
	"cmake":          cmakeProgram,
	"printenv":       printenvProgram,
	"jq":             jqProgram,
	"sql":            sqlProgram,
	"editor":         editorProgram,
	"fetch":          fetchProgram,
	"socket":         socketProgram,
	"ask-name":       nameProgram,
	"copy-remote":    remoteCopyProgram,
	"remote":         remoteShell,
	"contained":      containerExec,
	"later":          laterProgram,
	"schedule":       scheduleProgram,
	"after":          afterMark,
	"window":         windowProgram,
	"git":            gitProgram,
	"git-config":     gitConfig,
	"git-push":       gitPush,
	"git-checkout":   gitCheckout,
	"git-object":     gitObject,
	"git-remote":     gitRemote,
	"git-top":        gitTop,
	"git-no-index":   gitNoIndex,
	"make":           makeProgram,
	"go-run":         goRun,
	"go-env":         goEnv,
	"script-name":    scriptName,
	"npx":            npxProgram,
	"container":      containerRun,
	"container-look": containerLook,
	"harness":        harnessProgram,
	"package":        packageInstall,
	"powershell":     powershellProgram,
	"service":        serviceProgram,
}
