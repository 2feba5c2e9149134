package shell

import (
	"path"
	"strings"

	"rein/guard/effect"
)

// printenvProgram reads printenv: one variable may be a credential by its name.
func printenvProgram(r *programs, _ *scope, c *call) (data, bool) {
	for _, v := range c.Got.Operands {
		if secretVariable(v.Text) {
			r.Found(effect.Private, "prints a variable that holds a credential by its name")
		}
	}
	return data{}, false
}

// uniqProgram reads uniq and similar commands: the second operand is written.
func uniqProgram(r *programs, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	t := c.In.Taint
	for i, v := range c.Got.Operands {
		if i == 0 {
			r.Reads(sc, v)
			t |= r.Contents(sc, v)
			continue
		}
		r.Writes(sc, v)
	}
	return data{Taint: t}, true
}

// catProgram passes its input through, or files.
func catProgram(r *programs, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	if len(c.Got.Operands) == 0 {
		return *c.In, true
	}
	out := data{Known: true}
	endless := false
	for _, v := range c.Got.Operands {
		if v.Text == "-" {
			out = concatData(out, *c.In)
			continue
		}
		if v.Proc != nil {
			out = concatData(out, *v.Proc)
			continue
		}
		endless = endless || v.Text == "/dev/zero" || v.Text == "/dev/urandom" || v.Text == "/dev/random"
		out = concatData(out, r.ReadData(sc, v))
	}
	if endless {
		out.Taint |= fromEndless
	}
	return out, true
}

// filterProgram passes known input through where nothing is done to it that matters: tee, head, tail without files.
func filterProgram(r *programs, sc *scope, c *call) (data, bool) {
	t := r.applyOptions(sc, c)
	if c.Name == "tee" {
		for _, v := range c.Got.Operands {
			if v.Proc == nil {
				r.Writes(sc, v)
				r.Wrote(sc, v, *c.In)
			}
		}
		return *c.In, true
	}
	t |= r.applyOperands(sc, c.Got.Spec, c.Got.Operands, c.In)
	if c.Name == "tail" {
		if n, ok := c.Got.Value("-c", "--bytes"); ok && strings.HasPrefix(n.Text, "+") {
			t |= fromDecoder
		}
	}
	if len(c.Got.Operands) > 0 {
		return data{Taint: t &^ fromEndless}, true
	}
	if c.In.Known && strings.Count(c.In.Text, "\n") <= 1 && !c.Got.Has("-c", "--bytes") {
		return *c.In, true
	}
	return data{Taint: (t | c.In.Taint) &^ fromEndless, History: c.In.History}, true
}

// pathnameProgram works out basename, dirname and realpath where the name is known.
func pathnameProgram(r *programs, sc *scope, c *call) (data, bool) {
	var t taint
	for _, v := range c.Got.Operands {
		t |= v.Taint
		if v.Proc != nil {
			t |= v.Proc.Taint
		}
	}
	if c.Name == "mktemp" {
		r.applyOptions(sc, c)
		if len(c.Got.Operands) > 0 {
			r.Writes(sc, c.Got.Operands[0])
		}
		return textData("/tmp/tmp."+string(anyText)+"\n", fromNumber), true
	}
	if len(c.Got.Operands) == 0 || !c.Got.Operands[0].Known() {
		return data{Taint: t | fromNumber}, true
	}
	v := c.Got.Operands[0]
	switch c.Name {
	case "basename":
		name := path.Base(v.Text)
		if len(c.Got.Operands) == 2 {
			name = strings.TrimSuffix(name, c.Got.Operands[1].Text)
		}
		return textData(name+"\n", t), true
	case "dirname":
		return textData(path.Dir(v.Text)+"\n", t), true
	case "which", "command":
		return textData("/usr/bin/"+v.Text+"\n", t), true
	case "readlink", "realpath":
		if abs := r.Abs(sc, v.Text); abs != "" {
			return textData(abs+"\n", t), true
		}
	}
	return data{Taint: t | fromNames}, true
}

// sedProgram reads sed: its script may write, read and run.
func sedProgram(r *programs, sc *scope, c *call) (data, bool) {
	ops := c.Got.Operands
	var scripts []value
	for _, o := range c.Got.Options {
		switch {
		case o.Name == "-e" || strings.HasPrefix("--expression", o.Name) && len(o.Name) > 4 && o.Takes:
			scripts = append(scripts, o.Value)
		case o.Name == "-f" || o.Name == "--file":
			r.Found(effect.Exec, "sed takes its script from %s", o.Value.Shown())
			r.Reads(sc, o.Value)
			scripts = append(scripts, value{})
		}
	}
	if len(scripts) == 0 && len(ops) > 0 {
		scripts, ops = ops[:1], ops[1:]
	}
	for _, s := range scripts {
		r.Shell.Code(sc, "sed", s, nil, nil)
	}
	inPlace := c.Got.Has("-i", "--in-place") || c.DeepLong("--in-place")
	t := c.In.Taint
	for _, v := range ops {
		if inPlace {
			r.Writes(sc, v)
		}
		r.Reads(sc, v)
		t |= r.Contents(sc, v)
	}
	return data{Taint: t | fromWork}, true
}

// awkProgram reads awk: its program may run commands and read and write files.
func awkProgram(r *programs, sc *scope, c *call) (data, bool) {
	ops := c.Got.Operands
	r.applyOptions(sc, c)
	fromFile, edits := false, false
	for _, o := range c.Got.Options {
		switch o.Name {
		case "-f", "--file", "-E", "--exec":
			fromFile = true
		case "-i", "--include":
			if o.Value.Text != "inplace" {
				r.Found(effect.Exec, "awk loads other code")
			}
			edits = edits || o.Value.Text == "inplace"
		case "-e", "--source":
			fromFile = true
			r.Shell.Code(sc, "awk", o.Value, nil, nil)
		}
	}
	if !fromFile && len(ops) > 0 {
		r.Shell.Code(sc, "awk", ops[0], nil, nil)
		ops = ops[1:]
	}
	t := c.In.Taint
	for _, v := range ops {
		if i := strings.IndexByte(v.Text, '='); i > 0 && strings.IndexByte(v.Text[:i], '/') < 0 {
			continue
		}
		r.Reads(sc, v)
		if edits {
			r.Writes(sc, v)
		}
		t |= r.Contents(sc, v)
	}
	return data{Taint: t | fromWork&boolTaint(len(ops) > 0)}, true
}
