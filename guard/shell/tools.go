package shell

import (
	"slices"
	"strings"
)

// makeProgram reads make and similar commands: which targets, and which instructions.
func makeProgram(r *reader, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	r.effect(Build)
	if f, ok := c.got.value("-f", "--file", "--makefile"); ok && f.text == "-" {
		r.found(Exec, "reads its rules from its input")
		r.recipes(sc, c.in)
	}
	for _, v := range c.got.operands {
		if name, val, ok := v.cut("="); ok {
			r.makeVariable(sc, strings.TrimRight(name.text, ":+?"), val)
			continue
		}
		if !c.got.has("-n", "--just-print", "--dry-run", "--recon", "-q", "--question") {
			r.target(v)
		}
	}
	return data{taint: fromWork}, true
}

// recipes judges the lines of a makefile that a shell would run, where its text is known.
func (r *reader) recipes(sc *scope, in *data) {
	if !in.known {
		return
	}
	for line := range strings.Lines(in.text) {
		_, after, ok := strings.Cut(line, "\t")
		if !ok {
			_, after, ok = strings.Cut(line, ";")
		}
		if ok {
			r.text(sc, value{text: strings.ReplaceAll(strings.TrimLeft(after, "@-+ \t"), "$$", "$"), taint: in.taint}, nil)
		}
	}
}

func (r *reader) makeVariable(sc *scope, name string, val value) {
	if name == "SHELL" || name == ".SHELLFLAGS" || name == "MAKE" || strings.Contains(val.text, "$(shell") || strings.Contains(val.text, "`") || strings.Contains(val.text, "$(") {
		r.found(Exec, "%s names a program that runs", name)
		r.text(sc, val, nil)
		return
	}
	r.environment(sc, name, val)
	if name == "DESTDIR" || name == "PREFIX" || name == "prefix" {
		r.writes(sc, val)
	}
}

// target judges the name of a target or script of the project by its verbs.
func (r *reader) target(v value) {
	if c := r.verbs(v.text, false); c != Read {
		r.effect(c)
	}
	if !v.plain() {
		r.found(Dynamic, "runs a target that is not known before it runs")
	}
}

// cleanGoal reads "mvn clean" and similar commands: before other goals it is a part of the build.
func cleanGoal(r *reader, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	if len(c.got.operands) == 0 {
		r.effect(Delete)
	}
	r.tasks(sc, c)
	r.effect(Build)
	return data{taint: fromWork}, true
}

// goRun reads go run: the project's own code, or somebody's.
func goRun(r *reader, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	if len(c.got.operands) == 0 {
		r.effect(Build)
		return data{}, true
	}
	v := c.got.operands[0]
	switch {
	case strings.Contains(v.text, "://"):
		r.found(RemoteCode, "runs %s", v.shown())
	case strings.Contains(v.text, "@"):
		r.effect(Install)
	case !v.known() && v.taint&^(fromNames|fromNumber) != 0:
		r.found(Dynamic, "runs code that is not known before it runs")
	case strings.HasPrefix(v.text, ".") || strings.HasPrefix(v.text, "/") || strings.HasSuffix(v.text, ".go"):
		r.script(sc, v, c.got.operands[1:])
	default:
		r.effect(Build)
	}
	r.anyArgs(sc, c.got.operands[1:])
	return data{taint: fromWork}, true
}

func goEnv(r *reader, sc *scope, c *call) (data, bool) {
	for _, a := range c.argv[1:] {
		if a.text == "-w" || a.text == "-u" {
			r.found(OutsideWrite, "changes Go's settings of the user")
		}
	}
	if len(c.got.operands) == 1 {
		switch c.got.operands[0].text {
		case "GOPATH":
			return textData(r.ctx.Home+"/go\n", 0), true
		case "GOROOT":
			return textData("/usr/local/go\n", 0), true
		case "GOMODCACHE":
			return textData(r.ctx.Home+"/go/pkg/mod\n", 0), true
		case "GOCACHE":
			return textData(r.ctx.Home+"/.cache/go-build\n", 0), true
		}
	}
	return data{taint: fromNumber}, true
}

// scriptName reads npm run NAME and similar commands.
func scriptName(r *reader, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	if code, ok := c.got.value("-e", "--eval"); ok && c.name == "bun" {
		return data{taint: r.code(sc, "bun", code, nil, c.in) | fromWork}, true
	}
	for _, a := range c.got.operands { // npm takes its own options behind the name, too
		name, _, _ := strings.Cut(a.text, "=")
		if o, takes, known := c.spec.option(name); strings.HasPrefix(name, "--") && known && takes && o.kind == "class" && o.class == Exec {
			r.found(Exec, "%s names a program that runs", name)
		}
		if a.text == "--" {
			break
		}
		if _, dir, ok := a.cut("="); ok && (name == "--prefix" || name == "--cwd" || name == "--dir") {
			r.project(sc, dir)
		}
	}
	if len(c.got.operands) == 0 {
		if c.name == "yarn" && len(c.got.options) == 0 {
			r.effect(Install)
		}
		return data{taint: fromWork}, true
	}
	r.effect(Build)
	r.target(c.got.operands[0])
	r.anyArgs(sc, c.got.operands[1:])
	return data{taint: fromWork}, true
}

// npxProgram reads npx and similar commands: tools that projects have installed run as such, all else is fetched.
func npxProgram(r *reader, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	ops := c.got.operands
	if cmd, ok := c.got.value("-c", "--call"); ok {
		return r.text(sc, cmd, nil), true
	}
	if len(ops) == 0 {
		r.effect(Install)
		return data{}, true
	}
	if !c.got.has("-p", "--package", "-y", "--yes", "--from", "--with") && ops[0].plain() {
		ops[0] = scoped(ops[0])
		if spec := r.table.find(ops[0].text); spec != nil && spec.local && (spec.class == Build || spec.class == Read) {
			return r.execNamed(sc, ops[0].text, ops, c.in), true
		}
	}
	if c.got.has("--no-install", "--offline", "--no") || c.name == "pnpm" || c.name == "yarn" { // pnpm exec runs what is installed
		r.effect(Build)
		return data{taint: fromWork}, true
	}
	r.effect(Install)
	r.anyArgs(sc, ops)
	if !ops[0].plain() || strings.ContainsFunc(ops[0].text, func(c rune) bool { return c == '/' || c >= 0x80 }) || r.table.find(ops[0].text) != nil || slices.Contains(r.self(), ops[0].text) {
		r.exec(sc, ops, c.in) // a package may be named like a program, and do what that does
	}
	return data{taint: fromWork}, true
}

// scopedTools are packages with a scope and the programs they bring.
var scopedTools = map[string]string{
	"@biomejs/biome": "biome", "@redocly/cli": "redocly", "@openapitools/openapi-generator-cli": "openapi-generator-cli", "@tanstack/router-cli": "tsr", "@angular/cli": "ng",
	"@nestjs/cli": "nest", "@changesets/cli": "changeset", "@commitlint/cli": "commitlint", "@graphql-codegen/cli": "graphql-codegen", "@stoplight/spectral-cli": "spectral",
	"@playwright/test": "playwright", "@microsoft/api-extractor": "api-extractor", "@tailwindcss/cli": "tailwindcss", "@babel/cli": "babel", "@swc/cli": "swc", "@svgr/cli": "svgr",
	"@mermaid-js/mermaid-cli": "mmdc", "@marp-team/marp-cli": "marp", "@ast-grep/cli": "ast-grep", "@arethetypeswrong/cli": "attw", "@lingui/cli": "lingui", "@formatjs/cli": "formatjs",
	"@stencil/core": "stencil", "@web/test-runner": "wtr", "@rspack/cli": "rspack", "@rsbuild/core": "rsbuild", "@ladle/react": "ladle", "@tauri-apps/cli": "tauri", "@11ty/eleventy": "eleventy",
	"@astrojs/check": "astro-check", "@typespec/compiler": "tsp", "@bufbuild/buf": "buf", "@asyncapi/cli": "asyncapi", "@apidevtools/swagger-cli": "swagger-cli", "@napi-rs/cli": "napi",
	"@stryker-mutator/core": "stryker", "@hey-api/openapi-ts": "openapi-ts", "@manypkg/cli": "manypkg", "@vue/cli-service": "vue-cli-service", "@sveltejs/package": "svelte-package",
	"@cucumber/cucumber": "cucumber-js", "@stoplight/prism-cli": "prism", "@electron-forge/cli": "electron-forge", "@ionic/cli": "ionic", "@capacitor/cli": "capacitor", "@diplodoc/cli": "yfm",
}

// scoped returns the program of a known package with a scope; other words stay.
func scoped(v value) value {
	if name, ok := scopedTools[v.text]; ok {
		return v.with(name)
	}
	return v
}

// packageInstall reads pip install and similar commands: packages by address are code from anywhere.
func packageInstall(r *reader, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	if ops := c.got.operands; c.got.spec.class < Install && !(len(ops) > 1 && ops[1].text == "reference") { // dotnet add
		r.effect(Install)
	}
	for _, v := range c.got.operands {
		if strings.Contains(v.text, "://") || strings.HasPrefix(v.text, "git+") || strings.HasPrefix(v.text, "git@") || strings.HasPrefix(v.text, "github:") {
			r.found(RemoteCode, "installs code from %s", v.shown())
			continue
		}
		r.anyArg(sc, v)
	}
	return data{}, true
}

// harnessProgram reads other agents.
func harnessProgram(r *reader, sc *scope, c *call) (data, bool) {
	r.effect(Nested)
	r.anyArgs(sc, c.argv[1:])
	return data{taint: fromNet}, true
}

// serviceProgram reads systemctl and similar commands, where the action may come first or second.
func serviceProgram(r *reader, _ *scope, c *call) (data, bool) {
	for _, v := range c.got.operands {
		switch v.text {
		case "status", "show", "is-active", "is-enabled", "is-failed", "list-units", "list-unit-files", "list-timers", "list-sockets", "cat", "list-dependencies", "list-jobs", "help", "get-default", "--version":
			r.effect(Unknown)
			return data{taint: fromOutside}, true
		case "poweroff", "reboot", "halt", "kexec", "suspend", "hibernate", "hybrid-sleep", "emergency", "rescue", "isolate", "exit", "soft-reboot":
			r.effect(Exhaust)
			return data{}, true
		}
	}
	if c.got.has("--user") {
		r.effect(OutsideWrite)
		return data{}, true
	}
	if len(c.got.operands) == 0 || c.got.has("--status-all") {
		r.effect(Unknown)
		return data{}, true
	}
	r.effect(Admin)
	return data{}, true
}

// pagerProgram reads less: +COMMAND is typed for the user.
func pagerProgram(r *reader, _ *scope, c *call) (data, bool) {
	for _, a := range c.argv[1:] {
		if strings.HasPrefix(a.text, "+") && strings.ContainsAny(a.text, "!|vs") && !strings.HasPrefix(a.text, "+/") {
			r.found(Exec, "types commands into the pager")
		}
	}
	return data{}, false
}

// mountProgram reads mount: to make more writable than before is to take rights.
func mountProgram(r *reader, _ *scope, c *call) (data, bool) {
	for _, a := range c.argv[1:] {
		if strings.Contains(a.text, "remount") || strings.Contains(a.text, "bind") {
			r.effect(Privilege)
		}
	}
	if c.name == "mount" && len(c.argv) == 1 {
		return data{taint: fromNumber}, true
	}
	return data{}, false
}

// editorProgram reads vim and similar commands: commands on the command line; without them they wait at a terminal.
func editorProgram(r *reader, sc *scope, c *call) (data, bool) {
	if c.name == "ed" && c.in.known && len(c.got.operands) == 1 {
		r.edScript(sc, c.in.asValue(), c.got.operands[0])
		return data{taint: fromWork}, true
	}
	ran := false
	for _, a := range c.argv[1:] {
		t := a.text
		if len(t) > 2 && t[0] == '+' && strings.ContainsAny(t, " (") {
			r.found(Exec, "the editor runs a command of its own")
		}
		if i := strings.IndexByte(t, '!'); i >= 0 && (strings.HasPrefix(t, ":") || strings.HasPrefix(t, "+") || i == 0) {
			r.found(Exec, "the editor runs a command")
			r.text(sc, a.with(t[i+1:]), nil)
			ran = true
		}
	}
	if c.in.known {
		for line := range strings.Lines(c.in.text) {
			if i := strings.IndexByte(line, '!'); i >= 0 && i < 3 { // ed takes its commands from its input
				r.found(Exec, "the editor runs a command")
				r.text(sc, value{text: strings.TrimSpace(line[i+1:]), taint: c.in.taint}, nil)
			}
		}
	}
	if code, ok := c.got.value("--eval", "-eval"); ok {
		tokens := codeTokens(code.text, ";")
		r.commandStrings(sc, tokens, code)
		if strings.Contains(code.text, "delete-") {
			r.codeRemoves(sc, tokens, code)
		}
	}
	if c.got.has("-c", "--cmd", "-S", "-s", "-es", "-u", "--eval", "-l", "--script", "-x", "--load", "-f") && !ran {
		r.found(Exec, "the editor runs commands from its options")
	}
	r.found(Unknown, "waits for keyboard input")
	writes := slices.ContainsFunc(c.argv[1:], func(a value) bool { return writesByCommand(a.text) })
	for _, v := range c.got.operands {
		if r.reads(sc, v); writes && !strings.HasPrefix(v.text, "+") && !writesByCommand(v.text) {
			r.writes(sc, v)
		}
	}
	return data{}, true
}

// edScript reads commands for ed: it writes its file, or others, and may run commands.
func (r *reader) edScript(sc *scope, script, file value) {
	r.reads(sc, file)
	r.writes(sc, file)
	for _, line := range strings.Split(script.text, "\n") {
		line = strings.TrimLeft(line, "0123456789,.$;% ")
		if i := strings.IndexByte(line, '!'); i >= 0 && i <= 3 {
			r.found(Exec, "ed runs a command")
			r.text(sc, script.with(line[i+1:]), nil)
		}
		verb, name, ok := strings.Cut(line, " ")
		switch {
		case !ok || strings.HasPrefix(name, "!"):
		case verb == "w" || verb == "W" || verb == "wq" || verb == "f":
			r.writes(sc, script.with(name))
		case verb == "r" || verb == "e" || verb == "E":
			r.reads(sc, script.with(name))
		}
	}
}

// powershellProgram reads PowerShell: its language is not read here.
func powershellProgram(r *reader, sc *scope, c *call) (data, bool) {
	line := strings.ToLower(joinValues(c.argv[1:], " ").text)
	switch {
	case strings.Contains(line, "-enc") || strings.Contains(line, "frombase64") || strings.Contains(line, "-e "):
		r.effect(Obfuscated)
	case strings.Contains(line, "remove-item") || strings.Contains(line, "format-volume") || strings.Contains(line, "clear-disk") || strings.Contains(line, "stop-computer"):
		r.effect(Foreign)
	case strings.Contains(line, "downloadstring") || strings.Contains(line, "iex") || strings.Contains(line, "invoke-expression"):
		r.effect(RemoteCode)
	default:
		r.effect(Exec)
	}
	return data{taint: fromWork}, true
}

// writesByCommand reports whether a word makes vi write its file: +wq, -c x, '%d|wq'.
func writesByCommand(s string) bool {
	for _, part := range strings.FieldsFunc(strings.TrimLeft(s, "+:"), func(c rune) bool { return c == '|' || c == '\n' }) {
		switch strings.TrimSpace(strings.TrimLeft(part, ":")) {
		case "w", "w!", "wq", "wq!", "x", "x!", "wqa", "wqa!", "wa", "xa", "up", "update", "exit":
			return true
		}
	}
	return false
}
