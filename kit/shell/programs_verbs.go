package shell

import (
	"slices"
	"strings"

	"rein/guard/effect"
)

// Names of tasks: sub-commands that the table does not know, targets, scripts. A verb shows what they do, and
// verbs mean the same in every tool: "verb:deploy" and other verbs are lines of the table. Tools have more of them
// ("tool-verb:add"): the same word in a name that the project chose is weaker evidence.

// verbs returns the most severe class that the words of a task's name indicate, Read where they indicate none.
func (r *programs) verbs(name string, tool bool) effect.Class {
	worst := effect.Read
	parts := taskParts(name)
	if len(parts) > 1 && asks[parts[len(parts)-1]] {
		return worst // deploy:check
	}
	for i, part := range parts {
		words := taskWords(part)
		if len(words) == 0 {
			continue
		}
		if i == 0 && !tool && r.Table.Find("verb-not:"+words[0]) != nil {
			return r.sendsOff(name)
		}
		if len(words) > 1 && asks[words[len(words)-1]] {
			continue
		}
		worst = max(worst, r.verb(words[0], tool), r.verb(part, tool))
		if last := words[len(words)-1]; last != "release" && words[0] != "pre" && words[0] != "post" && r.verb(last, false) == effect.Publish {
			worst = max(worst, effect.Publish) // docker-push, site_deploy
		}
	}
	return worst
}

// sendsOff judges "build:docker:push": a harmless verb in front makes most others its object, not those that send work
// away.
func (r *programs) sendsOff(name string) effect.Class {
	for _, part := range taskParts(name)[1:] {
		if words := taskWords(part); len(words) > 0 && words[0] != "release" && r.verb(words[0], false) == effect.Publish {
			return effect.Publish
		}
	}
	return effect.Read
}

func (r *programs) verb(word string, tool bool) effect.Class {
	if p := r.Table.Find("verb:" + word); p != nil {
		return p.Class
	}
	if p := r.Table.Find("tool-verb:" + word); p != nil && tool {
		return p.Class
	}
	return effect.Read
}

// remoteVerbs judges what the client of a remote service is asked for by a sub-command that the table does not know.
func (r *programs) remoteVerbs(p *parsedArguments) {
	if p.Base() != effect.Network || !p.Unlisted && p.Spec.Name != "*" {
		return
	}
	words := slices.Clone(p.Path)
	for i, v := range p.Operands[:min(maxTasks, len(p.Operands))] {
		if i == 0 && !v.Known() {
			r.Found(effect.RemoteChange, "asks a remote service for what is not known before it runs")
		}
		words = append(words, v.Text)
	}
	for _, word := range words {
		for _, part := range taskParts(word) {
			for _, w := range taskWords(part) {
				if verb := r.Table.Find("remote-verb:" + w); verb != nil {
					r.Effect(verb.Class)
				}
			}
		}
	}
}

// maxTasks is how many operands in front may name what to do: prisma db push.
const maxTasks = 3

// tasks judges what the operands of a building tool ask for where the table does not know its sub-command.
func (r *programs) tasks(sc *scope, call *call) {
	p := &call.Got
	if p.Has("--help") && !p.Spec.Runner {
		return
	}
	if p.Spec.Class != effect.Build || len(p.Path) > 0 && !p.Spec.Tasks && !p.Spec.Goal && !p.Unlisted {
		return
	}
	cleans, others := false, false
	for i, v := range p.Operands {
		if p.Spec.Tasks && strings.ContainsAny(v.Text, "({") && strings.ContainsAny(v.Text, " .") {
			r.Shell.Code(sc, "scala", v, nil, &data{Known: true}) // sbt 'set x := …'
			others = true
			continue
		}
		if i >= maxTasks && !p.Spec.Tasks || !v.Plain() || !taskName(v.Text, p.Spec.Tasks) {
			break
		}
		if i > 0 && !p.Spec.Tasks && strings.ContainsAny(v.Text, "._-") {
			break // a name that somebody chose
		}
		c := r.task(p.Spec, v.Text)
		if c == effect.Unknown && r.shellTask(sc, call) {
			return
		}
		if c > effect.Delete {
			r.Found(c, "%s: %s", showText(v.Text), c.Why())
		}
		cleans = cleans || c == effect.Delete
		others = others || c != effect.Delete && (i > 0 || p.Spec.Tasks)
		if p.Spec.Goal || !p.Spec.Tasks && r.harmlessFirst(v.Text) {
			break // what follows is its object
		}
	}
	if cleans && !others { // before other goals it is a part of the build
		r.Effect(effect.Delete)
	}
}

// harmlessFirst reports whether a name begins with the verb of what changes nothing: make:migration.
func (r *programs) harmlessFirst(name string) bool {
	first, _, _ := strings.Cut(name, ":")
	return first != "" && r.Table.Find("verb-not:"+first) != nil
}

// asks are the words at the end of a name that make the name a query: docker-lint, release-notes.
var asks = map[string]bool{"help": true, "lint": true, "check": true, "info": true, "list": true, "status": true, "dryrun": true, "notes": true, "validate": true, "verify": true, "typecheck": true}

// task is the class of one goal of several: that of the sub-command in the table, or that of its verb.
func (r *programs) task(spec *programRow, name string) effect.Class {
	for q := spec; q != nil && spec.Tasks; q = q.Parent {
		if s, ok := q.Subs[name]; ok {
			return s.Class
		}
	}
	return r.verbs(name, true)
}

// namedScript judges "hatch run test:cov", "pdm run lint": names that the project gives its checks. A name that shows
// nothing, or that the table knows, is a program like any other.
func (r *programs) namedScript(sc *scope, words []value) bool {
	name := words[0]
	if !name.Plain() || name.Odd || !taskName(name.Text, false) || sc.Funcs[name.Text] != nil {
		return false
	}
	if strings.Contains(name.Text, ":") { // no program is named so
		r.target(name, true)
		r.AnyArgs(sc, words[1:])
		return true
	}
	if p, _ := r.Table.Lookup(name.Text); p != nil {
		return false
	}
	if first := taskWords(taskParts(name.Text)[0]); len(first) == 0 || r.Table.Find("verb-not:"+first[0]) == nil {
		return false
	}
	r.target(name, true)
	r.AnyArgs(sc, words[1:])
	return true
}

// shellTask judges "manage.py shell -c CODE" and similar commands, which do not wait for somebody to type.
func (r *programs) shellTask(sc *scope, c *call) bool {
	code, ok := c.Got.Value("-c", "--command", "--execute")
	if !ok && c.In.Known && strings.TrimSpace(c.In.Text) != "" {
		code, ok = value{Text: c.In.Text, Taint: c.In.Taint}, true
	}
	if !ok {
		return false
	}
	switch c.Name {
	case "manage.py", "django-admin", "flask":
		r.Shell.Code(sc, "python", code, nil, c.In)
	case "artisan", "php":
		r.Shell.Code(sc, "php", code, nil, c.In)
	default:
		return false
	}
	return true
}
