package shell

// The files script_… judge texts in other languages than the shell's that a command runs: code for interpreters, scripts
// of awk, sed and ed, statements for databases. They look for what these run, write, read and contact, and run nothing.

import (
	"strings"
)

// scripts judges the texts of one command line.
type scripts struct {
	*judging
	// scriptShell runs what a text runs.
	Shell scriptShell
}

// scriptShell reads the commands that texts run. Exec and Text return what the command writes to its standard output.
type scriptShell interface {
	// Exec runs words as a command. in is its standard input.
	Exec(sc *scope, argv []value, in *data) data
	// Text runs a command line in another shell with positional parameters; nil means that they are not known.
	Text(sc *scope, line value, args []value) data
	// Script judges the running of a file.
	Script(sc *scope, file value, args []value)
	// Knows reports whether the table has a program of this name.
	Knows(program string) bool
}

// Code judges a text by its language: the name of its interpreter, or elisp, sql (for a server) or sqlite (for a file, the first
// of args). For ed the first of args is the file that it edits. in is the standard input of what runs the text; only
// interpreters look at it. The result is what the text may print.
func (r *scripts) Code(sc *scope, lang string, v value, args []value, in *data) taint {
	switch lang {
	case "awk":
		r.awk(sc, v)
	case "sed":
		r.sed(sc, v)
	case "ed":
		r.ed(sc, v, args[0])
	case "elisp":
		r.elisp(sc, v)
	case "sql", "sqlite":
		r.statement(sc, v, lang == "sqlite", args)
	default:
		return r.program(sc, lang, v, in)
	}
	return 0
}

// languageOf reads from the first line in which language a program is written; "" for a shell.
func languageOf(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	if strings.HasPrefix(first, "package ") {
		return "go"
	}
	if !strings.HasPrefix(first, "#!") {
		return ""
	}
	for _, lang := range []string{"python", "node", "ruby", "perl", "php", "lua", "Rscript", "deno", "bun", "tsx"} {
		if strings.Contains(first, lang) {
			return lang
		}
	}
	return ""
}
