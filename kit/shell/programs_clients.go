package shell

import (
	"path"
	"slices"
	"strings"

	"rein/guard/effect"
)

// jqProgram reads jq and yq: filters that show the environment.
func jqProgram(r *programs, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	ops := c.Got.Operands
	if c.Got.Has("--rawfile", "--slurpfile") || slices.ContainsFunc(c.Argv[1:], isNegative) { // NAME FILE; a number is a filter
		for _, v := range ops[:min(len(ops), 3)] {
			r.Reads(sc, v)
		}
	}
	if len(ops) > 0 && !c.Got.Has("-f", "--from-file") {
		filter := ops[0].Text
		if strings.Contains(filter, "$ENV") || hasName(filter, "env") {
			r.Found(effect.Private, "shows the environment")
		}
		if strings.Contains(filter, "Env") && c.In.Taint&fromDaemon != 0 {
			r.Found(effect.Private, "shows the environment of a container")
		}
		if hasName(filter, "include") || hasName(filter, "import") {
			r.Found(effect.Exec, "loads other filters")
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
	return data{Taint: t}, true
}

func isNegative(v value) bool {
	return len(v.Text) > 1 && v.Text[0] == '-' && isNumber(v.Text[1:])
}

// sqlProgram reads clients of databases: what their statements do.
func sqlProgram(r *programs, sc *scope, c *call) (data, bool) {
	local := c.Name == "sqlite3" || c.Name == "duckdb" || c.Name == "sqlite"
	var texts []value
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
	} else if c.Name == "redis-cli" || c.Name == "valkey-cli" || c.Name == "memcached-tool" || c.Name == "cypher-shell" {
		texts = append(texts, joinValues(ops, " "))
	}
	if c.In.Known || c.In.Taint&^fromInput != 0 {
		texts = append(texts, c.In.AsValue())
	}
	if len(texts) == 0 || len(texts) == 1 && texts[0].Text == "" {
		r.Found(effect.Unknown, "starts a client that waits for commands")
	}
	lang := "sql"
	if local {
		lang = "sqlite"
	}
	for _, v := range texts {
		r.Shell.Code(sc, lang, v, ops, nil)
	}
	if !local {
		r.Effect(effect.Network)
		databaseServer(r, c)
	}
	return data{Taint: fromWork | fromNet&boolTaint(!local)}, true
}

// database judges the file that a client opens. Without the name of a database it may not be there, and the client makes it.
func (r *programs) database(sc *scope, file value) {
	r.Reads(sc, file)
	if end := path.Ext(file.Text); !strings.HasPrefix(end, ".db") && !strings.HasPrefix(end, ".sqlite") && !strings.HasPrefix(end, ".duckdb") {
		r.Writes(sc, file)
	}
}

// dcProgram reads dc: a line that begins with ! is one for a shell.
func dcProgram(r *programs, sc *scope, c *call) (data, bool) {
	texts := []value{c.In.AsValue()}
	for _, o := range c.Got.Options {
		if o.Name == "-e" || o.Name == "--expression" {
			texts = append(texts, o.Value)
		}
	}
	for _, v := range texts {
		if _, cmd, ok := v.Cut("!"); ok && !strings.ContainsAny(cmd.Text[:min(1, len(cmd.Text))], "<>=") {
			r.Found(effect.Exec, "dc runs a command")
			r.Shell.Text(sc, cmd, nil)
		}
	}
	return data{}, false
}

// linesProgram reads concurrently and hyperfine: each operand is a line for a shell, or names a script of the project. Where the
// operands together look like one command, they are judged as that, too.
func linesProgram(r *programs, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	if ops := c.Got.Operands; len(ops) > 1 && !strings.ContainsAny(ops[0].Text, " :;|&") {
		r.Shell.Exec(sc, ops, c.In)
		r.Effect(effect.Build)
		return data{Taint: fromWork}, true
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
	return data{Taint: fromWork}, true
}

// bucketProgram reads copies from and to a bucket: upwards is publishing, downwards a download.
func bucketProgram(r *programs, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	ops := c.Got.Operands
	if len(ops) < 2 {
		return data{Taint: fromNet}, true
	}
	from, to := ops[0], ops[1]
	if c.Got.Has("--delete") || c.Got.Spec.Name == "mv" && isBucket(from) {
		r.Effect(effect.RemoteChange)
	}
	if isBucket(to) || !to.Known() {
		r.Effect(effect.Publish)
	}
	if isBucket(from) {
		if to.Text != "-" && !isBucket(to) {
			r.Writes(sc, to)
			r.Wrote(sc, to, data{Taint: fromNet})
			sc.Fetch(r.Absolute(sc, to))
		}
		return data{Taint: fromNet}, true
	}
	r.Reads(sc, from)
	r.Sends(r.Contents(sc, from), "to a bucket")
	return data{Taint: fromNet}, true
}

func isBucket(v value) bool { return strings.Contains(v.Text, "://") }

// keygenProgram reads ssh-keygen: it makes keys, or shows what a file holds.
func keygenProgram(r *programs, sc *scope, c *call) (data, bool) {
	file, named := c.Got.Value("-f")
	looks := c.Got.Has("-l", "-L", "-F", "-y", "-B", "-H", "-R")
	if !looks || c.Got.Has("-R", "-H") {
		if named {
			r.Writes(sc, file)
		} else {
			r.Effect(effect.OutsideWrite)
		}
		return data{Taint: fromWork}, true
	}
	if named {
		r.Reads(sc, file)
	} else {
		r.Effect(effect.OutsideRead)
	}
	return data{Taint: fromOutside}, true
}

// apiProgram reads gh api: what its method does.
func apiProgram(r *programs, sc *scope, c *call) (data, bool) {
	if ops := c.Got.Operands; len(ops) > 0 && ops[0].Text == "graphql" {
		return graphql(r, sc, c), true
	}
	method, _ := c.Got.Value("-X", "--method")
	switch strings.ToUpper(method.Text) {
	case "DELETE":
		r.Effect(effect.RemoteChange)
	case "POST", "PUT", "PATCH":
		r.Effect(effect.Publish)
	case "":
		if c.Got.Has("-f", "-F", "--field", "--raw-field", "--input") {
			r.Effect(effect.Publish)
		}
	case "GET", "HEAD":
	default:
		r.Effect(effect.RemoteChange)
	}
	apiFields(r, sc, c)
	return data{Taint: fromNet}, true
}

// graphql reads a request in GraphQL: a query only looks, a mutation changes things, and one that is not known may be that.
func graphql(r *programs, sc *scope, c *call) data {
	known := false
	for _, o := range c.Got.Options {
		name, text, ok := o.Value.Cut("=")
		if !ok || name.Text != "query" {
			continue
		}
		body := strings.TrimSpace(text.Text)
		known = text.Known() && (strings.HasPrefix(body, "{") || strings.HasPrefix(body, "query")) && !hasName(body, "mutation")
		if !known && !strings.HasPrefix(body, "@") {
			r.Effect(effect.RemoteChange)
		}
	}
	if !known {
		r.Found(effect.RemoteChange, "sends a request that may change things")
	}
	apiFields(r, sc, c)
	return data{Taint: fromNet}
}

// apiFields judges what the fields of a request send.
func apiFields(r *programs, sc *scope, c *call) {
	for _, o := range c.Got.Options {
		if i := strings.Index(o.Value.Text, "=@"); i > 0 {
			r.apply1(sc, wordRole{Kind: "upload"}, o.Value.With(o.Value.Text[i+2:]), nil)
		}
		if o.Name == "--input" && o.Value.Text != "-" {
			r.apply1(sc, wordRole{Kind: "upload"}, o.Value, nil)
		}
		r.Sends(o.Value.Taint&(fromSecret|fromPrivate|fromEnv), "to the network")
	}
}
