package shell

import "strings"

// jqProgram reads jq and yq: filters that show the environment.
func jqProgram(r *reader, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	ops := c.got.operands
	if len(ops) > 0 && !c.got.has("-f", "--from-file") {
		filter := ops[0].text
		if strings.Contains(filter, "$ENV") || hasName(filter, "env") {
			r.found(Private, "shows the environment")
		}
		if strings.Contains(filter, "Env") && c.in.taint&fromDaemon != 0 {
			r.found(Private, "shows the environment of a container")
		}
		if hasName(filter, "include") || hasName(filter, "import") {
			r.found(Exec, "loads other filters")
		}
		ops = ops[1:]
	}
	edit := c.got.has("-i", "--inplace", "--in-place")
	t := c.in.taint
	for _, v := range ops {
		if edit {
			r.writes(sc, v)
		}
		r.reads(sc, v)
		t |= r.contents(sc, v)
	}
	return data{taint: t}, true
}

// hasName reports whether a filter contains a name by itself, not as a field.
func hasName(filter, name string) bool {
	for i := 0; ; {
		j := strings.Index(filter[i:], name)
		if j < 0 {
			return false
		}
		at := i + j
		end := at + len(name)
		before := at == 0 || !isWordByte(filter[at-1]) && filter[at-1] != '.' && filter[at-1] != '"'
		after := end == len(filter) || !isWordByte(filter[end]) && filter[end] != '"' && filter[end] != ':'
		if before && after {
			return true
		}
		i = end
	}
}

// sqlProgram reads clients of databases: what their statements do.
func sqlProgram(r *reader, sc *scope, c *call) (data, bool) {
	local := c.name == "sqlite3" || c.name == "duckdb" || c.name == "sqlite"
	var texts []value
	ops := c.got.operands
	for _, o := range c.got.options {
		switch {
		case o.known && o.takes && o.role.kind == "pattern":
			texts = append(texts, o.value)
		case o.known && o.takes:
			r.apply1(sc, o.role, o.value, nil)
		case o.known:
			r.effect(o.role.class)
		}
	}
	if local {
		if len(ops) > 0 {
			if ops[0].text != ":memory:" {
				r.reads(sc, ops[0])
			}
			texts = append(texts, ops[1:]...)
		}
	} else if c.name == "redis-cli" || c.name == "valkey-cli" || c.name == "memcached-tool" {
		texts = append(texts, joinValues(ops, " "))
	}
	if c.in.known || c.in.taint&^fromInput != 0 {
		texts = append(texts, c.in.asValue())
	}
	if len(texts) == 0 || len(texts) == 1 && texts[0].text == "" {
		r.found(Unknown, "starts a client that waits for commands")
	}
	for _, v := range texts {
		r.statement(sc, v, local, ops)
	}
	if !local {
		r.effect(Network)
	}
	return data{taint: fromWork | fromNet&boolTaint(!local)}, true
}

// statement judges SQL and the commands of the clients around it.
func (r *reader) statement(sc *scope, v value, local bool, ops []value) {
	text := strings.TrimSpace(v.text)
	low := strings.ToLower(text)
	switch {
	case local && v.text == string(hole) && v.taint&^(fromWork|fromNumber) == 0 && len(ops) > 0:
		r.found(Build, "runs the project's own statements")
		r.writes(sc, ops[0])
	case !v.known() && v.taint&^fromNumber != 0:
		r.found(Dynamic, "runs statements that are not known before it runs")
	}
	if word, _, _ := strings.Cut(low, " "); local && len(word) > 2 && (strings.HasPrefix(".shell", word) || strings.HasPrefix(".system", word) || len(word) > 3 && strings.HasPrefix(".load", word)) {
		r.found(Exec, "the client runs or loads something else: %s", word)
	}
	if strings.HasPrefix(low, ".") && strings.Contains(low, "|") && (strings.Contains(low, " |") || strings.Contains(low, "'|") || strings.Contains(low, "\"|")) && !strings.HasPrefix(low, ".mode") && !strings.HasPrefix(low, ".sep") {
		r.found(Exec, "the client is connected to a command")
	}
	for _, bad := range []string{".system", ".shell", ".load", "\\!", "\\o |", "\\copy", ".import |", "load_extension", "copy program", "to program", "from program", "sys_exec", "edit(", "; load '", "load '", "xp_cmdshell", "lo_export", "into outfile", "load data", "into dumpfile", "pg_read_file", "load_file", "system ", "eval ", "script load", "config set", "module load", "slaveof", "replicaof", "debug "} {
		if strings.HasPrefix(low, bad) || strings.Contains(low, bad) && strings.ContainsAny(bad, "._\\ (") && !strings.HasSuffix(bad, " ") {
			r.found(Exec, "the client runs or loads something else: %s", bad)
			if rest, ok := strings.CutPrefix(text, bad+" "); ok {
				r.text(sc, v.with(rest), nil)
			}
		}
	}
	if local {
		r.localFiles(sc, v)
	}
	if local && len(ops) > 0 && strings.HasPrefix(low, ".import ") {
		r.writes(sc, ops[0])
	}
	for _, bad := range []string{".output", ".once", ".save", ".backup", ".clone", ".log"} {
		if rest, ok := strings.CutPrefix(low, bad+" "); ok {
			r.writes(sc, v.with(strings.TrimSpace(rest)))
		}
	}
	words := strings.FieldsFunc(low, func(c rune) bool { return !(c >= 'a' && c <= 'z' || c == '_' || c >= '0' && c <= '9') })
	for _, w := range words {
		switch w {
		case "drop", "truncate", "delete", "flushall", "flushdb", "dropdatabase", "deletemany", "deleteone", "remove", "grant", "revoke", "alter", "shutdown", "del", "unlink", "dropcollection", "dropuser", "createuser":
			if local {
				r.effect(Delete)
			} else {
				r.found(RemoteChange, "changes or destroys data: %s", w)
			}
			return
		case "insert", "update", "create", "replace", "vacuum", "insertone", "insertmany", "updateone", "updatemany", "set", "reindex", "attach", "lpush", "rpush", "hset", "incr":
			if local && len(ops) > 0 {
				r.writes(sc, ops[0])
			}
		}
	}
}

// localFiles judges the files that the statements of an embedded database name: COPY t TO 'x', FROM 'https://…'.
func (r *reader) localFiles(sc *scope, v value) {
	parts := strings.Split(v.text, "'")
	for i := 1; i < len(parts); i += 2 {
		name, before := parts[i], strings.ToLower(strings.TrimRight(parts[i-1], " \t\n("))
		switch file := v.with(name); {
		case strings.Contains(name, "://"):
			r.url(sc, file)
			r.effect(Network)
		case strings.HasSuffix(before, " to"), strings.HasSuffix(before, " into"), strings.HasSuffix(before, "database"):
			r.writes(sc, file)
		default:
			r.anyArg(sc, file)
		}
	}
}
