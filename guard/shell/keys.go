package shell

import "strings"

// keygenProgram reads ssh-keygen: it makes keys, or shows what a file holds.
func keygenProgram(r *reader, sc *scope, c *call) (data, bool) {
	file, named := c.got.value("-f")
	looks := c.got.has("-l", "-L", "-F", "-y", "-B", "-H", "-R")
	if !looks || c.got.has("-R", "-H") {
		if named {
			r.writes(sc, file)
		}
		r.effect(OutsideWrite)
		return data{taint: fromWork}, true
	}
	if named {
		r.reads(sc, file)
	} else {
		r.effect(OutsideRead)
	}
	return data{taint: fromOutside}, true
}

// apiProgram reads gh api: what its method does.
func apiProgram(r *reader, sc *scope, c *call) (data, bool) {
	method, _ := c.got.value("-X", "--method")
	switch strings.ToUpper(method.text) {
	case "DELETE":
		r.effect(RemoteChange)
	case "POST", "PUT", "PATCH":
		r.effect(Publish)
	case "":
		if c.got.has("-f", "-F", "--field", "--raw-field", "--input") {
			r.effect(Publish)
		}
	case "GET", "HEAD":
	default:
		r.effect(RemoteChange)
	}
	for _, o := range c.got.options {
		if i := strings.Index(o.value.text, "=@"); i > 0 {
			r.apply1(sc, role{kind: "upload"}, o.value.with(o.value.text[i+2:]), nil)
		}
		if o.name == "--input" && o.value.text != "-" {
			r.apply1(sc, role{kind: "upload"}, o.value, nil)
		}
		r.sends(o.value.taint&(fromSecret|fromPrivate|fromEnv), "to the network")
	}
	return data{taint: fromNet}, true
}
