package shell

import (
	"slices"
	"strings"

	"rein/guard/effect"
)

// statement judges SQL and the commands of the clients around it.
func (r *scripts) statement(sc *scope, v value, local bool, ops []value) {
	text := strings.TrimSpace(v.Text)
	low := strings.ToLower(text)
	if local {
		r.sqlFiles(sc, v, low)
	}
	switch {
	case local && v.Text == string(anyText) && v.Taint&^(fromWork|fromNumber) == 0 && len(ops) > 0:
		r.Found(effect.Build, "runs the project's own statements")
		r.Writes(sc, ops[0])
	case !v.Known() && v.Taint&^fromNumber != 0:
		r.Found(effect.Dynamic, "runs statements that are not known before it runs")
	}
	if word, _, _ := strings.Cut(low, " "); local && len(word) > 2 && (strings.HasPrefix(".shell", word) || strings.HasPrefix(".system", word) || len(word) > 3 && strings.HasPrefix(".load", word)) {
		r.Found(effect.Exec, "the client runs or loads something else: %s", word)
	}
	if strings.HasPrefix(low, ".") && strings.Contains(low, "|") && (strings.Contains(low, " |") || strings.Contains(low, "'|") || strings.Contains(low, "\"|")) && !strings.HasPrefix(low, ".mode") && !strings.HasPrefix(low, ".sep") {
		r.Found(effect.Exec, "the client is connected to a command")
	}
	for _, bad := range []string{".system", ".shell", ".load", "\\!", "\\o |", "\\copy", ".import |", "load_extension", "copy program", "to program", "from program", "sys_exec", "edit(", "; load '", "load '", "xp_cmdshell", "lo_export", "into outfile", "load data", "into dumpfile", "pg_read_file", "load_file", "system ", "eval ", "script load", "config set", "module load", "slaveof", "replicaof", "debug "} {
		if strings.HasPrefix(low, bad) || strings.Contains(low, bad) && strings.ContainsAny(bad, "._\\ (") && !strings.HasSuffix(bad, " ") {
			r.Found(effect.Exec, "the client runs or loads something else: %s", bad)
			if rest, ok := strings.CutPrefix(text, bad+" "); ok {
				r.Shell.Text(sc, v.With(rest), nil)
			}
		}
	}
	if local {
		r.localFiles(sc, v)
	}
	if local {
		for line := range strings.Lines(text) {
			r.dotCommand(sc, v.With(strings.TrimSpace(line)), ops)
		}
	}
	words := sqlWords(low)
	for _, w := range words {
		switch w {
		case "drop", "truncate", "delete", "flushall", "flushdb", "dropdatabase", "deletemany", "deleteone", "remove", "grant", "revoke", "alter", "shutdown", "del", "unlink", "dropcollection", "dropuser", "createuser":
			if local {
				r.Effect(effect.Delete)
			} else {
				r.Found(effect.RemoteChange, "changes or destroys data: %s", w)
			}
			return
		case "insert", "update", "create", "replace", "vacuum", "insertone", "insertmany", "updateone", "updatemany", "set", "reindex", "attach", "lpush", "rpush", "hset", "incr":
			if local && len(ops) > 0 {
				r.Writes(sc, ops[0])
			}
		}
	}
}

// dotCommand judges a command of the client itself: the files that it reads, writes or runs. Commands may be shortened.
func (r *scripts) dotCommand(sc *scope, line value, ops []value) {
	words := strings.Fields(line.Text)
	if len(words) < 2 || len(words[0]) < 4 || words[0][0] != '.' {
		return
	}
	name := strings.ToLower(words[0])
	is := func(all ...string) bool {
		return slices.ContainsFunc(all, func(full string) bool { return strings.HasPrefix(full, name) })
	}
	for _, w := range words[1:] {
		file := line.With(strings.Trim(w, `"'`))
		if strings.HasPrefix(file.Text, "~/") {
			file.Text = r.Ctx.Home + file.Text[1:]
		}
		switch {
		case strings.HasPrefix(w, "-"):
			continue
		case is(".read"):
			r.Shell.Script(sc, file, nil)
		case is(".import", ".restore"):
			r.Reads(sc, file)
			if len(ops) > 0 {
				r.Writes(sc, ops[0])
			}
		case is(".output", ".once", ".save", ".backup", ".clone", ".log", ".open"):
			r.Writes(sc, file)
		default:
			r.AnyArg(sc, file)
			continue
		}
		return
	}
}

// localFiles judges the files that the statements of an embedded database name: COPY t TO 'x', FROM 'https://…'.
func (r *scripts) localFiles(sc *scope, v value) {
	parts := strings.Split(v.Text, "'")
	for i := 1; i < len(parts); i += 2 {
		name, before := parts[i], strings.ToLower(strings.TrimRight(parts[i-1], " \t\n("))
		switch file := v.With(name); {
		case strings.Contains(name, "://"):
			r.URL(sc, file)
			r.Effect(effect.Network)
		case strings.HasSuffix(before, " to"), strings.HasSuffix(before, " into"), strings.HasSuffix(before, "database"):
			r.Writes(sc, file)
		default:
			r.AnyArg(sc, file)
		}
	}
}

// sqlFiles judges the functions of sqlite that read and write files and run code.
func (r *scripts) sqlFiles(sc *scope, v value, low string) {
	for _, call := range []string{"writefile(", "readfile(", "load_extension(", "edit("} {
		_, after, ok := strings.Cut(low, call)
		if !ok {
			continue
		}
		name := v
		if parts := strings.Split(after, "'"); len(parts) > 1 {
			name = v.With(parts[1])
		}
		switch call {
		case "writefile(":
			r.Writes(sc, name)
		case "readfile(":
			r.Reads(sc, name)
		default:
			r.Found(effect.Exec, "the database runs other code: %s", call)
		}
	}
}
