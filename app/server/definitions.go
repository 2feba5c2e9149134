package server

import (
	"context"
	"errors"
	"io/fs"
	"net/http"

	"rein/app/server/api"
)

// definitionOperations change the sub-agents or the skills of the user's own. Those of a folder are changed in the folder, and trusted.
type definitionOperations struct {
	*workspaces
	*auditLog
	kind, what string // agent or skill, and how a summary names it
	of         func(*servedWorkspace) definitions
}

// definitions are files of the user's own, each of which defines a kind of sub-agent or a skill.
type definitions interface {
	Save(name, was, text, by string, check bool) (notes []string, err error)
	Delete(name, was string) error
}

func ownAgents(w *servedWorkspace) definitions { return w.newest().OwnAgents() }

func ownSkills(w *servedWorkspace) definitions { return w.newest().SkillStore() }

func (o definitionOperations) table() []apiOperation {
	tag, path := o.kind+"s", "/v1/"+o.kind+"s/{name}"
	return []apiOperation{
		operationAt(roleOperator, "PUT "+path, "save-"+o.kind, tag, "Write "+o.what+" of the user's own, for all workspaces; new sessions have it", o.save),
		operationAt(roleOperator, "POST "+path+"/delete", "delete-"+o.kind, tag, "Delete "+o.what+" of the user's own, whose text was shown", o.remove),
	}
}

// definitionName names a definition in a path.
type definitionName struct {
	Name string `path:"name" pattern:"^[a-z0-9][a-z0-9-]{0,63}$" maxLength:"64"`
}

type savedDefinition struct {
	definitionName
	Body api.Definition
}

func (o definitionOperations) save(ctx context.Context, in savedDefinition) (api.Defined, error) {
	out := api.Defined{Notes: []string{}}
	did := map[bool]string{false: "saved_" + o.kind}[in.Body.Check]
	err := o.change(ctx, in.Body.Dir, in.Name, did, func(d definitions, by string) error {
		notes, err := d.Save(in.Name, in.Body.Was, in.Body.Text, by, in.Body.Check)
		out.Notes = append(out.Notes, notes...)
		return err
	})
	return out, err
}

type removedDefinition struct {
	definitionName
	Body api.Removal
}

func (o definitionOperations) remove(ctx context.Context, in removedDefinition) (done noContent, err error) {
	return done, o.change(ctx, in.Body.Dir, in.Name, "deleted_"+o.kind, func(d definitions, _ string) error { return d.Delete(in.Name, in.Body.Was) })
}

// change lets do change the definitions, and notes what was done; did is "" when nothing was.
func (o definitionOperations) change(ctx context.Context, dir, name, did string, do func(definitions, string) error) error {
	c := senderOf(ctx)
	w, err := o.mayChange(c, dir, "always")
	if err != nil {
		return err
	}
	err = do(o.of(w), c.User.By().String())
	if _, disk := errors.AsType[*fs.PathError](err); err != nil && !disk {
		return problem(http.StatusUnprocessableEntity, "definition", err.Error())
	}
	if err == nil && did != "" {
		o.note(c, api.Entry{What: did, Dir: w.dir, Text: name})
	}
	return err
}
