package shell

import (
	"strings"
	"unicode"

	"rein/internal/places"
)

// Options that the table does not name still say in their own names what they do: --plugin=x.so, --rcfile /tmp/x,
// --rsh-command=x load or run their value in every tool. Where the value lies decides: a building tool may load what is
// the project's own, nothing may load what lies outside.

// loadWords are the words of such names; those that are true run their value even where a tool only looks.
var loadWords = map[string]bool{
	"plugin": true, "plugins": true, "load": true, "loader": true, "preload": true, "require": true, "engine": true, "agent": true, "javaagent": true, "agentpath": true,
	"wrapper": true, "launcher": true, "hook": true, "rsh": true, "pager": true, "editor": true, "exec": true,
	"config": false, "configuration": false, "rcfile": false, "rc": false, "yarnrc": false, "npmrc": false, "settings": false, "options": false, "init": false, "startup": false,
	"script": false, "filter": false, "rules": false, "rulesdir": false, "toolchain": false, "override": false, "gemfile": false, "homedir": false, "home": false, "import": false,
	"compiler": false, "linker": false, "rakefile": false, "gulpfile": false, "makefile": false, "justfile": false, "buildfile": false, "template": false, "bootclasspath": false,
}

// loads reports whether an option loads or runs what it names, and whether it does so in any tool.
func loads(name string) (some, always bool) {
	words := strings.FieldsFunc(strings.ToLower(strings.TrimLeft(name, "-")), func(c rune) bool { return !unicode.IsLetter(c) })
	if len(words) > 1 && (words[0] == "print" || words[0] == "show" || words[0] == "dump") {
		return false, false // --print-config FILE
	}
	for i, w := range words {
		strong, ok := loadWords[w]
		last := i == len(words)-1 && i > 0 && (w == "command" || w == "cmd")
		some, always = some || ok || last, always || strong || last
	}
	return some, always
}

// labelWords are names of options whose value is a pattern, a title or a place within something else: what looks like a
// path in it (--grep '/api/users', --base=/docs/) is none.
var labelWords = map[string]bool{
	"grep": true, "match": true, "pattern": true, "regex": true, "regexp": true, "title": true, "message": true, "description": true, "label": true,
	"base": true, "route": true, "routes": true, "endpoint": true, "basepath": true, "baseurl": true, "publicpath": true, "url": true, "uri": true, "query": true, "tests": true,
}

// labels reports whether the last word of an option's name is one of them.
func labels(name string) bool {
	name = strings.ToLower(strings.TrimLeft(name, "-"))
	return labelWords[name[strings.LastIndexAny(name, "-_.")+1:]]
}

// mayLoad reports whether the word after an unknown option may be a file that it loads.
func mayLoad(option, next string) bool {
	if strings.Contains(option, "=") || len(option) < 6 && !strings.HasPrefix(option, "--") || strings.HasPrefix(next, "-") || !strings.ContainsAny(next, "/.") {
		return false
	}
	some, _ := loads(option)
	return some
}

// unnamedOption judges the value of an option that the table does not name.
func (r *reader) unnamedOption(sc *scope, c *call, o option) {
	some, always := loads(o.name)
	v := o.value
	if i := strings.LastIndexByte(v.text, '='); i >= 0 {
		v = v.with(v.text[i+1:]) // --override=name=/path
	}
	if !some || v.text == "" || !strings.ContainsAny(v.text, "/.~") {
		return
	}
	s := r.locate(sc, v)
	switch {
	case strings.Contains(v.text, "://"):
	case s.free:
		r.found(Dynamic, "%s loads what is only known when it runs", o.name)
	case s.class == places.System, s.class == places.Tools, s.class == places.Sink:
	case !r.inWork(s.abs):
		r.found(Exec, "%s loads %s, outside the workspace", o.name, v.shown())
	case always && c.got.spec.class != Build, strings.HasSuffix(s.abs, ".so"), strings.HasSuffix(s.abs, ".dylib"):
		r.found(Exec, "%s runs %s", o.name, o.value.shown())
	default:
		r.effect(Build)
	}
}

// javaProgram reads java: agents are named behind a colon.
func javaProgram(r *reader, sc *scope, c *call) (data, bool) {
	for _, a := range c.argv[1:] {
		if strings.HasPrefix(a.text, "-javaagent:") || strings.HasPrefix(a.text, "-agentpath:") || strings.HasPrefix(a.text, "-agentlib:") || strings.HasPrefix(a.text, "-Xbootclasspath") {
			r.found(Exec, "loads an agent: %s", a.shown())
		}
	}
	return data{}, false
}

// codeIncludes takes the paths in a program that includes others as programs.
func (r *reader) codeIncludes(sc *scope, tokens []token, v value) {
	for _, t := range tokens {
		if !t.isStr || !strings.HasPrefix(t.str, "/") && !strings.HasPrefix(t.str, "..") || strings.ContainsAny(t.str, " \n*") {
			continue
		}
		if s := r.locate(sc, v.with(t.str)); !s.free && (s.class == places.Temp || s.class == places.Outside) {
			r.found(Exec, "runs %s from outside the workspace", show(t.str))
		}
	}
}
