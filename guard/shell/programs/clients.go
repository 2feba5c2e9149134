package programs

import (
	"path"
	"slices"
	"strings"

	"rein/guard/shell/code"
	"rein/guard/shell/fact"
	"rein/guard/shell/judge"
	"rein/guard/shell/table"
)

// jqProgram reads jq and yq: filters that show the environment.
func jqProgram(r *Programs, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	r.applyOptions(sc, c)
	ops := c.Got.Operands
	if c.Got.Has("--rawfile", "--slurpfile") || slices.ContainsFunc(c.Argv[1:], isNegative) { // NAME FILE; a number is a filter
		for _, v := range ops[:min(len(ops), 3)] {
			r.Reads(sc, v)
		}
	}
	if len(ops) > 0 && !c.Got.Has("-f", "--from-file") {
		filter := ops[0].Text
		if strings.Contains(filter, "$ENV") || code.HasName(filter, "env") {
			r.Found(fact.Private, "shows the environment")
		}
		if strings.Contains(filter, "Env") && c.In.Taint&fact.FromDaemon != 0 {
			r.Found(fact.Private, "shows the environment of a container")
		}
		if code.HasName(filter, "include") || code.HasName(filter, "import") {
			r.Found(fact.Exec, "loads other filters")
		}
		ops = ops[1:]
	}
	edit := c.Got.Has("-i", "--inplace", "--in-place")
	t := c.In.Taint
	for _, v := range ops {
		if edit {
			r.Writes(sc, v)
		}
		r.Reads(sc, v)
		t |= r.Contents(sc, v)
	}
	return fact.Data{Taint: t}, true
}

func isNegative(v fact.Value) bool {
	return len(v.Text) > 1 && v.Text[0] == '-' && judge.IsNumber(v.Text[1:])
}

// sqlProgram reads clients of databases: what their statements do.
func sqlProgram(r *Programs, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	local := c.Name == "sqlite3" || c.Name == "duckdb" || c.Name == "sqlite"
	var texts []fact.Value
	ops := c.Got.Operands
	for _, o := range c.Got.Options {
		switch {
		case o.Known && o.Takes && o.Role.Kind == "pattern":
			texts = append(texts, o.Value)
		case o.Known && o.Takes:
			r.apply1(sc, o.Role, o.Value, nil)
		case o.Known:
			r.Effect(o.Role.Class)
		}
	}
	if local {
		if len(ops) > 0 {
			if ops[0].Text != ":memory:" {
				r.database(sc, ops[0])
			}
			texts = append(texts, ops[1:]...)
		}
	} else if c.Name == "redis-cli" || c.Name == "valkey-cli" || c.Name == "memcached-tool" {
		texts = append(texts, fact.JoinValues(ops, " "))
	}
	if c.In.Known || c.In.Taint&^fact.FromInput != 0 {
		texts = append(texts, c.In.AsValue())
	}
	if len(texts) == 0 || len(texts) == 1 && texts[0].Text == "" {
		r.Found(fact.Unknown, "starts a client that waits for commands")
	}
	for _, v := range texts {
		r.statement(sc, v, local, ops)
	}
	if !local {
		r.Effect(fact.Network)
	}
	return fact.Data{Taint: fact.FromWork | fact.FromNet&fact.BoolTaint(!local)}, true
}

// database judges the file that a client opens. Without the name of a database it may not be there, and the client makes it.
func (r *Programs) database(sc *judge.Scope, file fact.Value) {
	r.Reads(sc, file)
	if end := path.Ext(file.Text); !strings.HasPrefix(end, ".db") && !strings.HasPrefix(end, ".sqlite") && !strings.HasPrefix(end, ".duckdb") {
		r.Writes(sc, file)
	}
}

// statement judges SQL and the commands of the clients around it.
func (r *Programs) statement(sc *judge.Scope, v fact.Value, local bool, ops []fact.Value) {
	text := strings.TrimSpace(v.Text)
	low := strings.ToLower(text)
	if local {
		r.sqlFiles(sc, v, low)
	}
	switch {
	case local && v.Text == string(fact.Hole) && v.Taint&^(fact.FromWork|fact.FromNumber) == 0 && len(ops) > 0:
		r.Found(fact.Build, "runs the project's own statements")
		r.Writes(sc, ops[0])
	case !v.Known() && v.Taint&^fact.FromNumber != 0:
		r.Found(fact.Dynamic, "runs statements that are not known before it runs")
	}
	if word, _, _ := strings.Cut(low, " "); local && len(word) > 2 && (strings.HasPrefix(".shell", word) || strings.HasPrefix(".system", word) || len(word) > 3 && strings.HasPrefix(".load", word)) {
		r.Found(fact.Exec, "the client runs or loads something else: %s", word)
	}
	if strings.HasPrefix(low, ".") && strings.Contains(low, "|") && (strings.Contains(low, " |") || strings.Contains(low, "'|") || strings.Contains(low, "\"|")) && !strings.HasPrefix(low, ".mode") && !strings.HasPrefix(low, ".sep") {
		r.Found(fact.Exec, "the client is connected to a command")
	}
	for _, bad := range []string{".system", ".shell", ".load", "\\!", "\\o |", "\\copy", ".import |", "load_extension", "copy program", "to program", "from program", "sys_exec", "edit(", "; load '", "load '", "xp_cmdshell", "lo_export", "into outfile", "load data", "into dumpfile", "pg_read_file", "load_file", "system ", "eval ", "script load", "config set", "module load", "slaveof", "replicaof", "debug "} {
		if strings.HasPrefix(low, bad) || strings.Contains(low, bad) && strings.ContainsAny(bad, "._\\ (") && !strings.HasSuffix(bad, " ") {
			r.Found(fact.Exec, "the client runs or loads something else: %s", bad)
			if rest, ok := strings.CutPrefix(text, bad+" "); ok {
				r.Shell.Text(sc, v.With(rest), nil)
			}
		}
	}
	if local {
		r.localFiles(sc, v)
	}
	if local && len(ops) > 0 && strings.HasPrefix(low, ".import ") {
		r.Writes(sc, ops[0])
	}
	for _, bad := range []string{".output", ".once", ".save", ".backup", ".clone", ".log"} {
		if rest, ok := strings.CutPrefix(low, bad+" "); ok {
			r.Writes(sc, v.With(strings.TrimSpace(rest)))
		}
	}
	words := code.SQLWords(low)
	for _, w := range words {
		switch w {
		case "drop", "truncate", "delete", "flushall", "flushdb", "dropdatabase", "deletemany", "deleteone", "remove", "grant", "revoke", "alter", "shutdown", "del", "unlink", "dropcollection", "dropuser", "createuser":
			if local {
				r.Effect(fact.Delete)
			} else {
				r.Found(fact.RemoteChange, "changes or destroys data: %s", w)
			}
			return
		case "insert", "update", "create", "replace", "vacuum", "insertone", "insertmany", "updateone", "updatemany", "set", "reindex", "attach", "lpush", "rpush", "hset", "incr":
			if local && len(ops) > 0 {
				r.Writes(sc, ops[0])
			}
		}
	}
}

// localFiles judges the files that the statements of an embedded database name: COPY t TO 'x', FROM 'https://…'.
func (r *Programs) localFiles(sc *judge.Scope, v fact.Value) {
	parts := strings.Split(v.Text, "'")
	for i := 1; i < len(parts); i += 2 {
		name, before := parts[i], strings.ToLower(strings.TrimRight(parts[i-1], " \t\n("))
		switch file := v.With(name); {
		case strings.Contains(name, "://"):
			r.URL(sc, file)
			r.Effect(fact.Network)
		case strings.HasSuffix(before, " to"), strings.HasSuffix(before, " into"), strings.HasSuffix(before, "database"):
			r.Writes(sc, file)
		default:
			r.AnyArg(sc, file)
		}
	}
}

// sqlFiles judges the functions of sqlite that read and write files and run code.
func (r *Programs) sqlFiles(sc *judge.Scope, v fact.Value, low string) {
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
			r.Found(fact.Exec, "the database runs other code: %s", call)
		}
	}
}

// dcProgram reads dc: a line that begins with ! is one for a shell.
func dcProgram(r *Programs, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	texts := []fact.Value{c.In.AsValue()}
	for _, o := range c.Got.Options {
		if o.Name == "-e" || o.Name == "--expression" {
			texts = append(texts, o.Value)
		}
	}
	for _, v := range texts {
		if _, cmd, ok := v.Cut("!"); ok && !strings.ContainsAny(cmd.Text[:min(1, len(cmd.Text))], "<>=") {
			r.Found(fact.Exec, "dc runs a command")
			r.Shell.Text(sc, cmd, nil)
		}
	}
	return fact.Data{}, false
}

// linesProgram reads concurrently and hyperfine: each operand is a line for a shell, or names a script of the project. Where the
// operands together look like one command, they are judged as that, too.
func linesProgram(r *Programs, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	r.applyOptions(sc, c)
	if ops := c.Got.Operands; len(ops) > 1 && !strings.ContainsAny(ops[0].Text, " :;|&") {
		r.Shell.Exec(sc, ops, c.In)
		r.Effect(fact.Build)
		return fact.Data{Taint: fact.FromWork}, true
	}
	for _, v := range c.Got.Operands {
		runner, name, ok := strings.Cut(v.Text, ":")
		switch runner {
		case "npm", "pnpm", "yarn", "bun", "node", "deno":
			if ok && !strings.ContainsAny(name, " ;|&") {
				r.target(v.With(name), true)
				continue
			}
		}
		r.Shell.Text(sc, v, nil)
	}
	return fact.Data{Taint: fact.FromWork}, true
}

// bucketProgram reads copies from and to a bucket: upwards is publishing, downwards a download.
func bucketProgram(r *Programs, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	r.applyOptions(sc, c)
	ops := c.Got.Operands
	if len(ops) < 2 {
		return fact.Data{Taint: fact.FromNet}, true
	}
	from, to := ops[0], ops[1]
	if c.Got.Has("--delete") || c.Got.Spec.Name == "mv" && isBucket(from) {
		r.Effect(fact.RemoteChange)
	}
	if isBucket(to) || !to.Known() {
		r.Effect(fact.Publish)
	}
	if isBucket(from) {
		if to.Text != "-" && !isBucket(to) {
			r.Writes(sc, to)
			r.Wrote(sc, to, fact.Data{Taint: fact.FromNet})
			sc.Fetch(r.Absolute(sc, to))
		}
		return fact.Data{Taint: fact.FromNet}, true
	}
	r.Reads(sc, from)
	r.Sends(r.Contents(sc, from), "to a bucket")
	return fact.Data{Taint: fact.FromNet}, true
}

func isBucket(v fact.Value) bool { return strings.Contains(v.Text, "://") }
