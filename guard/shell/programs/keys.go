package programs

import (
	"strings"

	"rein/guard/shell/fact"
	"rein/guard/shell/judge"
	"rein/guard/shell/table"
)

// keygenProgram reads ssh-keygen: it makes keys, or shows what a file holds.
func keygenProgram(r *Programs, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	file, named := c.Got.Value("-f")
	looks := c.Got.Has("-l", "-L", "-F", "-y", "-B", "-H", "-R")
	if !looks || c.Got.Has("-R", "-H") {
		if named {
			r.Writes(sc, file)
		}
		r.Effect(fact.OutsideWrite)
		return fact.Data{Taint: fact.FromWork}, true
	}
	if named {
		r.Reads(sc, file)
	} else {
		r.Effect(fact.OutsideRead)
	}
	return fact.Data{Taint: fact.FromOutside}, true
}

// apiProgram reads gh api: what its method does.
func apiProgram(r *Programs, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	method, _ := c.Got.Value("-X", "--method")
	switch strings.ToUpper(method.Text) {
	case "DELETE":
		r.Effect(fact.RemoteChange)
	case "POST", "PUT", "PATCH":
		r.Effect(fact.Publish)
	case "":
		if c.Got.Has("-f", "-F", "--field", "--raw-field", "--input") {
			r.Effect(fact.Publish)
		}
	case "GET", "HEAD":
	default:
		r.Effect(fact.RemoteChange)
	}
	for _, o := range c.Got.Options {
		if i := strings.Index(o.Value.Text, "=@"); i > 0 {
			r.apply1(sc, table.Role{Kind: "upload"}, o.Value.With(o.Value.Text[i+2:]), nil)
		}
		if o.Name == "--input" && o.Value.Text != "-" {
			r.apply1(sc, table.Role{Kind: "upload"}, o.Value, nil)
		}
		r.Sends(o.Value.Taint&(fact.FromSecret|fact.FromPrivate|fact.FromEnv), "to the network")
	}
	return fact.Data{Taint: fact.FromNet}, true
}
