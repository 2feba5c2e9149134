package inbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"rein/guard"
	"rein/internal/plainfile"
)

// An answer is one file, made whole and only where there is none: so the first answer counts, whichever process gives
// it. A process takes it once. It is marked as used, and its request removed, when the journal has what became of it: see Settle.
// A process that is killed before leaves both, and the next one takes the answer again: nothing has run.

func (in *Inbox) answerFile(session, call string) string {
	return filepath.Join(in.dir, session, "answers", call+".json")
}

// read returns the stored answer to a call; fs.ErrNotExist when there is none.
func (in *Inbox) read(session, call string) (Answer, error) {
	var a Answer
	text, err := os.ReadFile(in.answerFile(session, call))
	if err == nil && json.Unmarshal(text, &a) != nil {
		return Answer{}, nil // an unreadable answer has the hash of nothing
	}
	return a, err
}

// Answered returns the answer that counts for a call; ErrNotPending when there is none.
func (in *Inbox) Answered(session, call string) (Answer, error) {
	if !plainID().MatchString(session) || !plainID().MatchString(call) {
		return Answer{}, ErrNotPending
	}
	a, err := in.read(session, call)
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrNotPending
	}
	return a, err
}

// leave stores an answer where there is none; else it fails with fs.ErrExist and returns the first one.
func (in *Inbox) leave(session, call string, a Answer) (Answer, error) {
	a.Time = time.Now().UTC()
	text, err := json.Marshal(a)
	if err != nil {
		return Answer{}, err
	}
	err = createWhole(in.answerFile(session, call), append(text, '\n'))
	if !errors.Is(err, fs.ErrExist) {
		return a, err
	}
	first, readErr := in.read(session, call)
	if errors.Is(readErr, fs.ErrNotExist) { // removed between the two, because the request was asked again
		return in.leave(session, call, a)
	}
	return first, errors.Join(fs.ErrExist, readErr)
}

// Take returns the answer to exactly this call, once in a process; Abstain when there is none. A void answer, one for something
// else, is left where it is.
func (in *Inbox) Take(c guard.Case) (guard.Answer, error) {
	answer, _, err := in.take(c)
	return answer, err
}

// take is Take, and returns what is stored for the call too; nil when nothing is.
func (in *Inbox) take(c guard.Case) (answer guard.Answer, stored *Answer, err error) {
	none := guard.Answer{Choice: guard.Abstain}
	a, err := in.Answered(c.Session, c.Call.ID)
	switch {
	case errors.Is(err, ErrNotPending):
		return none, nil, nil
	case err != nil:
		return guard.Answer{}, nil, err
	case a.Used || a.Hash != c.Binding().Hash() || !in.takes(c.Session, c.Call.ID):
		return none, &a, nil
	}
	return a.Guard(), &a, nil
}

// takes notes that this process takes the answer to a call, and reports whether it is the first time.
func (in *Inbox) takes(session, call string) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	key := session + "/" + call
	if in.taken[key] {
		return false
	}
	in.taken[key] = true
	return true
}

// forget notes that there is no answer to a call any more, and reports whether this process had taken one.
func (in *Inbox) forget(session, call string) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	key := session + "/" + call
	taken := in.taken[key]
	delete(in.taken, key)
	return taken
}

// Begin is called before a request is shown. It takes an answer that was left for exactly this call. Otherwise it clears
// away what is left of an earlier request for the call; when that throws away an unused answer, void says why the answer
// does not count. A denial of the call counts under all rules.
func (in *Inbox) Begin(c guard.Case) (answer guard.Answer, void string, err error) {
	answer, stored, err := in.take(c)
	if err != nil || answer.Choice != guard.Abstain {
		return answer, "", err
	}
	if stored != nil && !stored.Used && !stored.Approved && in.sameCall(c) && in.takes(c.Session, c.Call.ID) {
		return stored.Guard(), "", nil
	}
	taken := in.forget(c.Session, c.Call.ID)
	if stored == nil { // what is left from here on is an answer to this request
		return answer, "", nil
	}
	if !stored.Used && !taken {
		void = in.whyVoid(c)
	}
	if err := os.Remove(in.answerFile(c.Session, c.Call.ID)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return guard.Answer{}, "", err
	}
	return answer, void, nil
}

// Outdated reports whether the stored request for a call showed other files than these.
func (in *Inbox) Outdated(c guard.Case, files string) bool {
	r, err := in.Get(c.Session, c.Call.ID)
	return err == nil && r.Files != files
}

// sameCall reports whether the stored request shows the call.
func (in *Inbox) sameCall(c guard.Case) bool {
	r, err := in.Get(c.Session, c.Call.ID)
	return err == nil && r.Tool == c.Call.Name && bytes.Equal(r.Args, c.Call.Args)
}

// whyVoid compares the stored request with the call as it is now.
func (in *Inbox) whyVoid(c guard.Case) string {
	r, err := in.Get(c.Session, c.Call.ID)
	switch {
	case err == nil && r.Epoch != c.Epoch:
		return "the rules, the mode or the sandbox settings have changed since the request was shown"
	case err == nil && r.Root != c.RootID:
		return "another directory is now at the path of the workspace"
	}
	return "the call is not the one that was answered"
}

// Claim makes an answer that was given in this process the one that counts. When another answer was first it gives that
// one.
func (in *Inbox) Claim(c guard.Case, a guard.Answer) (guard.Answer, error) {
	if _, err := os.Stat(filepath.Join(in.dir, c.Session)); err != nil || !plainID().MatchString(c.Call.ID) || !plainID().MatchString(c.Session) {
		return a, nil // nobody else can know of the request
	}
	mine := storedAnswer(a, c.Binding().Hash())
	first, err := in.leave(c.Session, c.Call.ID, mine)
	switch {
	case err == nil:
		in.takes(c.Session, c.Call.ID)
		in.changed()
		return a, nil
	case !errors.Is(err, fs.ErrExist):
		return guard.Answer{}, err
	case first.Hash != mine.Hash:
		return guard.Answer{}, errors.New("an answer to another call is in the way")
	}
	in.takes(c.Session, c.Call.ID)
	return first.Guard(), nil
}

// Settle is called when the journal has what became of a request. The answer is marked as used, so that it never counts again; it is
// kept for clients that come too late. The request is removed.
func (in *Inbox) Settle(session, call string) error {
	if !plainID().MatchString(session) || !plainID().MatchString(call) {
		return nil
	}
	if a, err := in.read(session, call); err == nil && !a.Used && a.Hash != "" {
		a.Used = true
		text, err := json.Marshal(a)
		if err == nil {
			err = plainfile.Replace(in.answerFile(session, call), append(text, '\n'))
		}
		if err != nil {
			return err
		}
		in.forget(session, call)
	}
	return in.Remove(session, call)
}
