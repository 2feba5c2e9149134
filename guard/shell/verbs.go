package shell

import (
	"strings"
	"unicode"
)

// Names of tasks: sub-commands that the table does not know, targets, scripts. A verb shows what they do, and
// verbs mean the same in every tool: "verb:deploy" and other verbs are lines of the table. Tools have more of them
// ("tool-verb:add"): the same word in a name that the project chose is weaker evidence.

// verbs returns the most severe class that the words of a task's name indicate, Read where they indicate none.
func (r *reader) verbs(name string, tool bool) Class {
	worst := Read
	for i, part := range taskParts(name) {
		words := taskWords(part)
		if len(words) == 0 {
			continue
		}
		if i == 0 && !tool && r.table.find("verb-not:"+words[0]) != nil {
			return r.sendsOff(name)
		}
		if len(words) > 1 && asks[words[len(words)-1]] {
			continue
		}
		worst = max(worst, r.verb(words[0], tool), r.verb(part, tool))
	}
	return worst
}

// sendsOff judges "build:docker:push": a harmless verb in front makes most others its object, not those that send work
// away.
func (r *reader) sendsOff(name string) Class {
	for _, part := range taskParts(name)[1:] {
		if words := taskWords(part); len(words) > 0 && words[0] != "release" && r.verb(words[0], false) == Publish {
			return Publish
		}
	}
	return Read
}

func (r *reader) verb(word string, tool bool) Class {
	if p := r.table.find("verb:" + word); p != nil {
		return p.class
	}
	if p := r.table.find("tool-verb:" + word); p != nil && tool {
		return p.class
	}
	return Read
}

// taskParts cuts a name where tools put namespaces: db:drop, :app:publish, core/test. A dot does so too, unless what
// follows is the ending of a file.
func taskParts(name string) []string {
	parts := strings.FieldsFunc(name, func(c rune) bool { return c == ':' || c == '/' })
	if i := strings.LastIndexByte(name, '.'); i > 0 && len(parts) == 1 {
		return []string{name[i+1:]} // ecto.reset; install.sh has no verb to judge
	}
	return parts
}

// taskWords cuts a part into words: clean-cache, clean_all, cleanTest.
func taskWords(part string) []string {
	var words []string
	start := 0
	for i, c := range part {
		switch {
		case c == '-' || c == '_':
			if i > start {
				words = append(words, strings.ToLower(part[start:i]))
			}
			start = i + 1
		case unicode.IsUpper(c) && i > start && !unicode.IsUpper(rune(part[i-1])):
			words = append(words, strings.ToLower(part[start:i]))
			start = i
		}
	}
	if start < len(part) {
		words = append(words, strings.ToLower(part[start:]))
	}
	return words
}

// maxTasks is how many operands in front may name what to do: prisma db push.
const maxTasks = 3

// tasks judges what the operands of a building tool ask for where the table does not know its sub-command.
func (r *reader) tasks(sc *scope, call *call) {
	p := &call.got
	if p.has("--help") && !p.spec.runner {
		return
	}
	if p.spec.class != Build || len(p.path) > 0 && !p.spec.tasks && !p.spec.goal && !p.unlisted {
		return
	}
	cleans, others := false, false
	for i, v := range p.operands {
		if p.spec.tasks && strings.ContainsAny(v.text, "({") && strings.ContainsAny(v.text, " .") {
			r.code(sc, "scala", v, nil, &data{known: true}) // sbt 'set x := …'
			others = true
			continue
		}
		if i >= maxTasks && !p.spec.tasks || !v.plain() || !taskName(v.text, p.spec.tasks) {
			break
		}
		if i > 0 && !p.spec.tasks && strings.ContainsAny(v.text, "._-") {
			break // a name that somebody chose
		}
		c := r.task(p.spec, v.text)
		if c == Unknown && r.shellTask(sc, call) {
			return
		}
		if c > Delete {
			r.found(c, "%s: %s", show(v.text), classWhy[c])
		}
		cleans = cleans || c == Delete
		others = others || c != Delete && (i > 0 || p.spec.tasks)
		if p.spec.goal || !p.spec.tasks && r.harmlessFirst(v.text) {
			break // what follows is its object
		}
	}
	if cleans && !others { // before other goals it is a part of the build
		r.effect(Delete)
	}
}

// harmlessFirst reports whether a name begins with the verb of what changes nothing: make:migration.
func (r *reader) harmlessFirst(name string) bool {
	first, _, _ := strings.Cut(name, ":")
	return first != "" && r.table.find("verb-not:"+first) != nil
}

// localVerb reports whether an unknown sub-command of a known tool looks at the work or puts it in order, wherever else
// the tool reaches: fmt, lint and validate of tools for the network, tests and checks of package managers, too.
func localVerb(name string, class Class) bool {
	switch name {
	case "fmt", "format", "lint", "validate", "help", "version":
		return true
	case "test", "tests", "check", "typecheck", "docs", "verify":
		return class == Unknown || class == Install
	}
	return false
}

// asks are the words at the end of a name that make the name a query: docker-lint, release-notes.
var asks = map[string]bool{"help": true, "lint": true, "check": true, "info": true, "list": true, "status": true, "dryrun": true, "notes": true, "validate": true, "verify": true, "typecheck": true}

// task is the class of one goal of several: that of the sub-command in the table, or that of its verb.
func (r *reader) task(spec *program, name string) Class {
	for q := spec; q != nil && spec.tasks; q = q.parent {
		if s, ok := q.subs[name]; ok {
			return s.class
		}
	}
	return r.verbs(name, true)
}

// taskName reports whether a word may be the name of a task: no path, no pattern, no sentence.
func taskName(s string, slashes bool) bool {
	for _, c := range s {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune(":._-", c) || c == '/' && slashes) {
			return false
		}
	}
	return s != "" && strings.Trim(s[:1], ":abcdefghijklmnopqrstuvwxyz") == "" // Release is a value
}

// namedScript judges "hatch run test:cov", "pdm run lint": names that the project gives its checks. A name that shows
// nothing, or that the table knows, is a program like any other.
func (r *reader) namedScript(sc *scope, words []value) bool {
	name := words[0]
	if !name.plain() || name.odd || !taskName(name.text, false) || sc.funcs[name.text] != nil {
		return false
	}
	if strings.Contains(name.text, ":") { // no program is named so
		r.target(name)
		r.anyArgs(sc, words[1:])
		return true
	}
	if p, _ := r.table.lookup(name.text); p != nil {
		return false
	}
	if first := taskWords(taskParts(name.text)[0]); len(first) == 0 || r.table.find("verb-not:"+first[0]) == nil {
		return false
	}
	r.target(name)
	r.anyArgs(sc, words[1:])
	return true
}

// shellTask judges "manage.py shell -c CODE" and similar commands, which do not wait for somebody to type.
func (r *reader) shellTask(sc *scope, c *call) bool {
	code, ok := c.got.value("-c", "--command", "--execute")
	if !ok && c.in.known && strings.TrimSpace(c.in.text) != "" {
		code, ok = value{text: c.in.text, taint: c.in.taint}, true
	}
	if !ok {
		return false
	}
	switch c.name {
	case "manage.py", "django-admin", "flask":
		r.code(sc, "python", code, nil, c.in)
	case "artisan", "php":
		r.code(sc, "php", code, nil, c.in)
	default:
		return false
	}
	return true
}
