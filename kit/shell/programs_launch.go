package shell

import (
	"strings"

	"rein/guard/effect"
)

// shellProgram reads sh, bash and similar commands.
func shellProgram(r *reader, sc *scope, c *call) (data, bool) {
	ops := c.Got.Operands
	for _, o := range c.Got.Options {
		if o.Known && o.Takes && o.Role.Kind == "script" {
			r.Script(sc, o.Value, nil)
		}
	}
	if sc.Sent && (c.In.Taint&fromSocket != 0 || c.Got.Has("-i") || len(ops) == 0) {
		r.Found(effect.Backdoor, "opens a shell to the network")
		return data{Taint: fromSocket}, true
	}
	switch {
	case c.Got.Has("-c"):
		if len(ops) == 0 {
			r.Found(effect.Dynamic, "runs whatever is appended as a command")
			return data{}, true
		}
		inner := sc.Sub()
		if len(ops) > 1 {
			inner.Vars["0"] = ops[1]
		}
		args := []value{}
		if len(ops) > 2 {
			args = ops[2:]
		}
		return r.Text(inner, ops[0], args), true
	case len(ops) > 0 && !c.Got.Has("-s"):
		if ops[0].Text == "/dev/stdin" || ops[0].Text == "-" {
			return r.RunText(sc, *c.In, "its input", ops[1:]), true
		}
		r.Script(sc, ops[0], ops[1:])
		r.AnyArgs(sc, ops[1:])
		return data{Taint: fromWork}, true
	case !c.In.Known && c.In.Taint&^fromInput == 0:
		r.Found(effect.Unknown, "starts a shell that waits for commands")
		return data{}, true
	}
	return r.RunText(sc, *c.In, "its input", ops), true
}

// envProgram reads env: assignments, then a command.
func envProgram(r *reader, sc *scope, c *call) (data, bool) {
	args := c.Got.Operands
	if s, ok := c.Got.Value("-S", "--split-string"); ok {
		return r.Text(sc, joinValues(append([]value{s}, args...), " "), nil), true
	}
	inner := *sc
	u, _ := c.Got.Value("-u", "--unset")
	inner.Bared = sc.Bared || c.Got.Has("-i", "--ignore-environment", "-") || strings.HasPrefix(u.Text, "GIT_") || !u.Plain()
	for len(args) > 0 && args[0].Text == "-" {
		inner.Bared, args = true, args[1:]
	}
	for len(args) > 0 {
		name, val, ok := args[0].Cut("=")
		if !ok {
			break
		}
		r.Environment(&inner, name.Text, val)
		args = args[1:]
	}
	if dir, ok := c.Got.Value("-C", "--chdir"); ok {
		inner.Cwd = r.Abs(sc, dir.Text)
	}
	if len(args) == 0 {
		r.Effect(effect.Env)
		return data{Taint: fromEnv}, true
	}
	return r.Exec(&inner, args, c.In), true
}

// xargsProgram reads xargs: a command with words of its input appended, or put in the place of a mark.
func xargsProgram(r *reader, sc *scope, c *call) (data, bool) {
	cmd := c.Got.Operands
	none := &data{Known: true}
	if file, ok := c.Got.Value("-a", "--arg-file"); ok {
		none = c.In // what it runs has the input itself
		d := r.ReadData(sc, file)
		c.In = &d
	}
	if len(cmd) == 0 {
		return data{Taint: c.In.Taint}, true
	}
	if c.In.Taint&fromEndless != 0 {
		r.Found(effect.Exhaust, "runs commands without end")
	}
	mark, ok := c.Got.Value("-I", "-i", "-J", "--replace")
	if ok && mark.Text == "" {
		mark.Text = "{}"
	}
	calls := xargsCalls(c, ok)
	if !ok {
		if spec := r.Table.Find(baseName(cmd[0].Text)); spec != nil && spec.How == "shell" && len(calls) > 0 && len(calls[0]) > 0 && !calls[0][0].Known() {
			r.Found(effect.Dynamic, "gives a shell words that are not known before it runs")
		}
		if len(calls) == 0 && !c.Got.Has("-r", "--no-run-if-empty") {
			calls = [][]value{nil}
		}
	}
	out := data{Known: true}
	for _, items := range calls {
		words := append(cmd[:len(cmd):len(cmd)], items...)
		if ok {
			words = replaceMark(cmd, mark.Text, items[0])
		}
		out = concatData(out, r.Exec(sc, words, none))
	}
	return out, true
}

// xargsCalls are the items that each call gets, one unknown one where they are not known. With a mark, each call gets one.
func xargsCalls(c *call, mark bool) [][]value {
	unknown := [][]value{{{Text: string(anyText), Taint: c.In.Taint, Odd: true, Many: true}}}
	delimiter := ""
	switch d, has := c.Got.Value("-d", "--delimiter"); {
	case c.Got.Has("-0", "--null"):
		delimiter = string(nulText)
	case has && len(d.Text) == 1 && d.Plain():
		delimiter = d.Text
	case has && d.Text == `\n`:
		delimiter = "\n"
	case has:
		unknown[0][0].Taint |= fromLost
		return unknown
	}
	if !c.In.Known || c.In.Maybe || len(c.In.Text) >= 4096 || c.Got.Has("-E", "-e", "--eof", "-s", "--max-chars") {
		if c.In.Known {
			unknown[0][0].Taint = c.In.Lost().Taint
		}
		return unknown
	}
	var lines [][]string
	if delimiter == "" {
		var ok bool
		if lines, ok = splitItems(c.In.Text, mark); !ok {
			unknown[0][0].Taint |= fromLost
			return unknown
		}
	} else if c.In.Text != "" {
		for _, item := range strings.Split(strings.TrimSuffix(c.In.Text, delimiter), delimiter) {
			lines = append(lines, []string{item})
		}
	}
	chunks := itemChunks{Whole: mark}
	if n, has := c.Got.Value("-n", "--max-args"); has {
		chunks.Items = n.Text
	} else if n, has := c.Got.Value("-L", "--max-lines"); has {
		chunks.Lines = n.Text
	} else if c.Got.Has("-l", "--max-lines") {
		chunks.Lines = "1"
	}
	var calls [][]value
	for _, items := range chunks.Of(lines) {
		calls = append(calls, values(items, c.In.Taint))
	}
	return calls
}

// parallelProgram reads GNU parallel: the words after ::: take the place of the mark, or are commands themselves.
func parallelProgram(r *reader, sc *scope, c *call) (data, bool) {
	var cmd, items []value
	seen, files := false, false
	for _, v := range c.Got.Operands {
		if strings.HasPrefix(v.Text, ":::") {
			seen, files = true, strings.HasPrefix(v.Text, "::::")
			continue
		}
		if files {
			list := r.ReadData(sc, v)
			items = append(items, r.inputLines(&list)...)
		} else if seen {
			items = append(items, v)
		} else {
			cmd = append(cmd, v)
		}
	}
	if c.Name == "sem" {
		return r.Text(sc, joinValues(cmd, " "), nil), true
	}
	if !seen {
		items = r.inputLines(c.In)
	}
	for _, item := range items {
		if !item.Known() && len(cmd) > 0 {
			r.parallelUnknown(sc, cmd, item)
			continue
		}
		words := replaceMark(cmd, "{}", item)
		if !hasMark(cmd) {
			words = append(words, item)
		}
		line := joinValues(words, " ")
		r.Text(sc, line, nil)
	}
	return data{Taint: c.In.Taint | fromWork}, true
}

// parallelUnknown judges a line with an item that is not known: parallel quotes it, so that it stays one word.
func (r *reader) parallelUnknown(sc *scope, cmd []value, item value) {
	line := joinValues(cmd, " ")
	marked := strings.NewReplacer("{}", `"$__item"`, "{.}", `"$__item"`, "{/}", `"$__item"`, "{//}", `"$__item"`, "{/.}", `"$__item"`, "{#}", "1", "{%}", "1").Replace(line.Text)
	if marked == line.Text {
		marked += ` "$__item"`
	}
	inner := sc.Sub()
	inner.Vars["__item"] = item
	inner.Export("__item")
	r.Text(inner, line.With(marked), nil)
}

// inputLines are the lines that flow in, each for a command; one unknown where they are not known.
func (r *reader) inputLines(in *data) []value {
	if !in.Known || len(in.Text) > 4096 {
		return []value{holeOf(in.Taint)}
	}
	var lines []value
	for _, l := range strings.FieldsFunc(in.Text, isLineBreak) {
		lines = append(lines, value{Text: l, Taint: in.Taint})
	}
	return lines
}

func isLineBreak(c rune) bool { return c == '\n' }

// lingerProgram reads nohup, setsid and the like: what they start outlives the command line.
func lingerProgram(r *reader, sc *scope, c *call) (data, bool) {
	args := c.Got.Operands
	if len(args) == 0 {
		return data{}, true
	}
	saved := r.Part
	r.Part = effect.Read
	out := r.Exec(sc, args, c.In)
	if r.Part == effect.Build {
		r.Found(effect.Unknown, "leaves a process running after the command")
	}
	r.Part = max(saved, r.Part)
	return out, true
}

// joinedProgram reads watch: its words make a line for a shell, or with -x a command by themselves. Both are judged.
func joinedProgram(r *reader, sc *scope, c *call) (data, bool) {
	if len(c.Got.Operands) > 1 {
		r.Exec(sc, c.Got.Operands, c.In)
	}
	return r.Text(sc, joinValues(c.Got.Operands, " "), nil), true
}

// wrapSecond reads wrappers whose command runs in another root: chroot DIR CMD.
func wrapSecond(r *reader, sc *scope, c *call) (data, bool) {
	if len(c.Got.Operands) > 1 {
		inner := *sc
		inner.Cwd = "/"
		r.Exec(&inner, c.Got.Operands[1:], c.In)
	}
	return data{}, true
}
