package shell

import (
	"strings"

	"rein/guard/effect"
	"rein/kit/places"
)

// containerRun reads docker run and similar commands: what of this machine goes into the container.
func containerRun(r *programs, sc *scope, c *call) (data, bool) {
	for _, o := range c.Got.Options {
		v := o.Value
		switch o.Name {
		case "-v", "--volume":
			r.mount(sc, v)
		case "--mount":
			for _, part := range strings.Split(v.Text, ",") {
				if _, src, ok := v.With(part).Cut("="); ok && (strings.HasPrefix(part, "source=") || strings.HasPrefix(part, "src=")) {
					r.mount(sc, src)
				}
			}
		case "--privileged":
			if !o.Takes || v.Text != "false" {
				r.Found(effect.Privilege, "starts a container with all privileges")
			}
		case "--pid", "--ipc", "--uts", "--userns", "--cgroupns", "--net", "--network":
			if v.Text == "host" && o.Name != "--net" && o.Name != "--network" {
				r.Found(effect.Privilege, "starts a container in a namespace of the host")
			} else if v.Text == "host" {
				r.Found(effect.Exec, "starts a container in the host's network")
			}
		case "--cap-add", "--security-opt":
			if !strings.Contains(v.Text, "no-new-privileges") {
				r.Found(effect.Privilege, "starts a container with more privileges: %s", v.Shown())
			}
		case "--device":
			r.Found(effect.Privilege, "starts a container with the host's devices")
		case "--env-file":
			r.Reads(sc, v)
		case "-e", "--env":
			r.Sends(v.Taint&(fromSecret|fromPrivate|fromEnv), "into a container")
		case "-H", "--host":
			r.Found(effect.Exec, "connects to another daemon")
		}
	}
	r.Effect(effect.Container)
	if entry, ok := c.Got.Value("--entrypoint"); ok && len(c.Got.Operands) > 0 {
		r.contained(func() { r.Shell.Exec(sc, append([]value{entry}, c.Got.Operands[1:]...), c.In) })
	} else if len(c.Got.Operands) > 1 {
		r.contained(func() { r.Shell.Exec(sc, c.Got.Operands[1:], c.In) })
	}
	return data{Taint: fromDaemon}, true
}

func (r *programs) mount(sc *scope, v value) {
	src, _, _ := v.Cut(":")
	if !strings.HasPrefix(src.Text, "/") && !strings.HasPrefix(src.Text, ".") && !strings.HasPrefix(src.Text, string(anyText)) {
		return // a named volume
	}
	s := r.Locate(sc, src)
	note(&r.Report.Reads, s.Abs)
	switch {
	case s.Free:
		r.Found(effect.Exec, "gives a container access to a path that is not known: %s", src.Shown())
	case s.Class == places.Workspace || s.Class == places.Protected || s.Class == places.Temp || s.Class == places.Tools:
	case s.Class == places.Private:
		r.Effect(effect.Private)
	case s.Class == places.Secret:
		r.Found(effect.SecretRead, "gives a container access to %s", src.Shown())
	case s.Class == places.Outside && !places.IsRoot(s.Abs, r.Ctx.Context), s.Class == places.Startup:
		r.Found(effect.OutsideWrite, "gives a container access to %s", src.Shown())
	default:
		r.Found(effect.Privilege, "gives a container access to %s of the host", src.Shown())
	}
}

// containerLook reads docker inspect and similar commands: the environment of a container holds credentials.
func containerLook(r *programs, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	for _, a := range c.Argv {
		if strings.Contains(a.Text, "Env") || a.Text == "--environment" {
			r.Effect(effect.Private)
		}
	}
	return data{Taint: fromDaemon}, true
}

// containerExec reads docker exec, kubectl exec and similar commands: a container, and a command in it.
func containerExec(r *programs, sc *scope, c *call) (data, bool) {
	for _, o := range c.Got.Options {
		switch {
		case o.Name == "--privileged":
			r.Found(effect.Privilege, "starts a container with all privileges")
		case o.Name == "--env-file" && o.Takes:
			r.Reads(sc, o.Value)
		}
	}
	if ops := c.Got.Operands; len(ops) > 1 {
		r.contained(func() { r.Shell.Exec(sc, ops[1:], c.In) })
	}
	return data{Taint: fromDaemon}, true
}
