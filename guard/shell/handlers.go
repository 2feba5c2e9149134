package shell

// handler judges a program whose arguments are a language of their own. It answers done where nothing of the
// table is left to apply.
type handler func(r *reader, sc *scope, c *call) (out data, done bool)

// handle finds the handler that a table names. A test checks that every name of the tables is here.
func (r *reader) handle(how string, sc *scope, c *call) (data, bool) {
	h := handlerNamed(how)
	if h == nil {
		r.found(Unparsed, "the guard's table names no handler %q", how)
		return data{}, true
	}
	return h(r, sc, c)
}

func handlerNamed(how string) handler {
	switch how {
	case "shell":
		return shellProgram
	case "env":
		return envProgram
	case "exec":
		return execBuiltin
	case "eval":
		return evalBuiltin
	case "source":
		return sourceBuiltin
	case "cd":
		return cdBuiltin
	case "popd":
		return popdBuiltin
	case "pwd":
		return pwdBuiltin
	case "command":
		return commandBuiltin
	case "export":
		return exportBuiltin
	case "unset":
		return unsetBuiltin
	case "set":
		return setBuiltin
	case "shift":
		return shiftBuiltin
	case "read":
		return readBuiltin
	case "test":
		return testBuiltin
	case "trap":
		return trapBuiltin
	case "echo":
		return echoBuiltin
	case "printf":
		return printfBuiltin
	case "alias":
		return aliasBuiltin
	case "history":
		return historyBuiltin
	case "kill":
		return killProgram
	case "pgrep":
		return pgrepProgram
	case "pkill":
		return pkillProgram
	}
	return handlerOutside(how)
}

func handlerOutside(how string) handler {
	switch how {
	case "xargs":
		return xargsProgram
	case "find":
		return findProgram
	case "fd":
		return fdProgram
	case "parallel":
		return parallelProgram
	case "joined":
		return joinedProgram
	case "linger":
		return lingerProgram
	case "chroot":
		return wrapSecond
	case "rm":
		return rmProgram
	case "ln":
		return lnProgram
	case "copy":
		return copyProgram
	case "chmod":
		return chmodProgram
	case "chown":
		return chownProgram
	case "dd":
		return ddProgram
	case "tar":
		return tarProgram
	case "uniq":
		return uniqProgram
	case "pathname":
		return pathnameProgram
	case "cat":
		return catProgram
	case "filter":
		return filterProgram
	case "sed":
		return sedProgram
	case "awk":
		return awkProgram
	case "code":
		return codeProgram
	case "code-words":
		return codeWords
	case "pager":
		return pagerProgram
	case "mount":
		return mountProgram
	case "clean":
		return cleanGoal
	case "debugger":
		return debuggerProgram
	case "keygen":
		return keygenProgram
	case "api":
		return apiProgram
	case "language":
		return languageProgram
	case "java":
		return javaProgram
	case "runner":
		return runnerProgram
	case "trace":
		return traceProgram
	case "cmake":
		return cmakeProgram
	case "printenv":
		return printenvProgram
	case "jq":
		return jqProgram
	case "sql":
		return sqlProgram
	case "editor":
		return editorProgram
	}
	return handlerTools(how)
}

func handlerTools(how string) handler {
	switch how {
	case "fetch":
		return fetchProgram
	case "socket":
		return socketProgram
	case "ask-name":
		return nameProgram
	case "copy-remote":
		return remoteCopyProgram
	case "remote":
		return remoteShell
	case "contained":
		return containerExec
	case "later":
		return laterProgram
	case "schedule":
		return scheduleProgram
	case "after":
		return afterMark
	case "window":
		return windowProgram
	case "git":
		return gitProgram
	case "git-config":
		return gitConfig
	case "git-push":
		return gitPush
	case "git-checkout":
		return gitCheckout
	case "git-object":
		return gitObject
	case "git-remote":
		return gitRemote
	case "git-top":
		return gitTop
	case "git-no-index":
		return gitNoIndex
	case "make":
		return makeProgram
	case "go-run":
		return goRun
	case "go-env":
		return goEnv
	case "script-name":
		return scriptName
	case "npx":
		return npxProgram
	case "container":
		return containerRun
	case "container-look":
		return containerLook
	case "harness":
		return harnessProgram
	case "package":
		return packageInstall
	case "powershell":
		return powershellProgram
	case "service":
		return serviceProgram
	}
	return nil
}
