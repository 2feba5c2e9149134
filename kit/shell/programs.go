package shell

// The files programs_… judge programs whose arguments need more than their line in the table: what git, tar, find, curl
// and others read, write, remove, run and contact. They run nothing.

// programs judges the programs of one command line.
type programs struct {
	*judging
	Table *programIndex
	// shellReader runs what a program runs.
	Shell shellReader
}

// shellReader reads the commands that programs run. Each method returns what the command writes to its standard output.
type shellReader interface {
	// Exec runs words as a command. in is its standard input.
	Exec(sc *scope, argv []value, in *data) data
	// ExecUnknown is Exec for a program that the table does not know.
	ExecUnknown(sc *scope, name string, argv []value, in *data) data
	// Text runs a command line in another shell with positional parameters; nil means that they are not known.
	Text(sc *scope, line value, args []value) data
	// RunText runs data as a script. what describes where it comes from.
	RunText(sc *scope, script data, what string, args []value) data
	// Handle judges a program by the handler that the table names. done means that nothing of the table is left to apply.
	Handle(how string, sc *scope, c *call) (out data, done bool)
	// Code judges a text in another language and returns what it may print: see scripts.
	Code(sc *scope, lang string, v value, args []value, in *data) taint
	// Depth is how many shells and substitutions are around the command.
	Depth() int
}

// programHandler judges a program whose arguments are a language of their own. done means that nothing of the table is left to
// apply.
type programHandler func(r *programs, sc *scope, c *call) (out data, done bool)

// programHandlerNamed returns the handler of this package that the table calls by a name, nil where it is not one of these.
func programHandlerNamed(how string) programHandler { return programHandlers[how] }

var programHandlers = map[string]programHandler{
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
	"cargo-watch":    cargoWatch,
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
	"database":       serverProgram,
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
	"git-clean":      gitClean,
	"git-push":       gitPush,
	"git-checkout":   gitCheckout,
	"git-object":     gitObject,
	"git-remote":     gitRemote,
	"git-top":        gitTop,
	"git-no-index":   gitNoIndex,
	"git-archive":    gitArchive,
	"patch":          patchProgram,
	"list":           listProgram,
	"archive":        archiveProgram,
	"date":           dateProgram,
	"repository":     repositoryProgram,
	"pieces":         piecesProgram,
	"make":           makeProgram,
	"go-run":         goRun,
	"go-env":         goEnv,
	"script-name":    scriptName,
	"npx":            npxProgram,
	"named":          namedProgram,
	"container":      containerRun,
	"container-look": containerLook,
	"harness":        harnessProgram,
	"package":        packageInstall,
	"powershell":     powershellProgram,
	"service":        serviceProgram,
}
