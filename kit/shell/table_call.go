package shell

import (
	"strings"

	"rein/guard/effect"
)

// Base is the effect of the program apart from its words. A flag that makes it lighter (--list, --dry-run, --staged)
// counts instead of it; what flags add is added later.
func (p *parsedArguments) Base() effect.Class {
	spec := p.Spec
	c := spec.Class
	switch {
	case spec.How == "script-name" && len(p.Operands) == 0 && p.Has("-e", "--eval", "-p", "--print"): // bun -e
		c = effect.Build
	case p.Unlisted && spec.Unknown != nil:
		c = *spec.Unknown
		if c < effect.Exec && len(p.Operands) > 0 && localVerb(p.Operands[0].Text, c) {
			c = effect.Build
		}
	case spec.Bare != nil && len(p.Operands) == 0 && len(p.Options) == 0:
		c = *spec.Bare
	}
	for _, o := range p.Options {
		if o.Known && !o.Takes && o.Role.Kind == "class" && o.Role.Class < c {
			c = o.Role.Class
		}
	}
	return c
}

// AsksHelp reports whether a sub-command is only asked what it does: "terraform apply --help", "aws s3 help". Programs
// that run others, or that may hand the option on, are left out.
func (p *parsedArguments) AsksHelp(root *programRow) bool {
	if root.Subs == nil || root.Runner || p.Spec.Class >= effect.Privilege || p.Spec.How == "script-name" {
		return false
	}
	help := false
	for _, o := range p.Options {
		if o.Takes {
			return false
		}
		help = help || o.Name == "--help" || o.Name == "-help" || o.Name == "-h" && root.GoStyle
	}
	if len(p.Operands) == 1 && p.Operands[0].Text == "help" {
		return p.Spec.Class != effect.Build || p.Unlisted && len(p.Options) == 0
	}
	return help && len(p.Operands) == 0
}

// RunsCode reports whether a program builds, tests or interprets: it may run the files that it gets.
func (c *call) RunsCode() bool {
	class := c.Got.Spec.Class
	return class == effect.Build || class == effect.Write && c.Spec != nil && c.Spec.Class == effect.Build || c.Got.Spec.How == "code"
}

// DeepLong recognises a long option however much it is shortened.
func (c *call) DeepLong(full string) bool {
	for _, o := range c.Got.Options {
		if len(o.Name) >= 4 && strings.HasPrefix(full, o.Name) {
			return true
		}
	}
	return false
}

// localVerb reports whether an unknown sub-command of a known tool looks at the work or puts it in order, wherever else
// the tool reaches: fmt, lint and validate of tools for the network, tests and checks of package managers, too.
func localVerb(name string, class effect.Class) bool {
	switch name {
	case "fmt", "format", "lint", "validate", "help", "version":
		return true
	case "test", "tests", "check", "typecheck", "docs", "verify":
		return class == effect.Unknown || class == effect.Install
	}
	return false
}

// HasDangerousOptions reports whether the program, without its sub-commands, has options that write or run something.
func (p *programRow) HasDangerousOptions() bool {
	for _, r := range p.options {
		switch r.Kind {
		case "text", "pattern", "read", "list", "any":
		case "class":
			if r.Class >= effect.Write {
				return true
			}
		default:
			return true
		}
	}
	for _, c := range p.flags {
		if c >= effect.Write {
			return true
		}
	}
	return false
}

// AsksVersion reports whether the only argument asks a program for its version.
func (p *programRow) AsksVersion(arg string) bool {
	switch arg {
	case "--version", "--help", "-version", "--usage":
		return true
	case "version", "help", "-help":
		return p.Subs != nil && p.Class < effect.Privilege
	case "-V":
		return p.Class < effect.Privilege && p.How != "wrap" && (len(p.Args) == 0 || p.Args[0].Kind != "cmd")
	case "-v", "-h":
		return p.How != "wrap" && (p.Class == effect.Build || p.Subs != nil || p.How == "code") && p.Class < effect.Privilege
	}
	return false
}
