package browser

import (
	"context"
	"encoding/json"
	"time"
)

// Profile is what a browser keeps for the next one: its cookies, with which sites know the user again. They are secrets.
type Profile struct {
	Load func() ([]byte, error)     // what was kept last; nothing the first time
	Keep func(cookies []byte) error // replaces it
	Warn func(error)                // receives what went wrong; nil drops it
}

// keepTime bounds how long the browser takes to give its cookies.
const keepTime = 2 * time.Second

// restore gives the browser the cookies of its profile. What cannot be read is left out: then sites do not know the user.
func (r *running) restore(ctx context.Context, p *Profile) {
	if p == nil {
		return
	}
	text, err := p.Load()
	if err == nil && len(text) > 0 {
		var cookies []map[string]any
		if err = json.Unmarshal(text, &cookies); err == nil && len(cookies) > 0 {
			err = r.conn.Call(ctx, "", "Storage.setCookies", map[string]any{"cookies": settable(cookies)}, nil)
		}
	}
	r.profile = p
	if err != nil && p.Warn != nil {
		p.Warn(err)
	}
}

// settable returns cookies as the browser takes them: one that ends with the browser has no date, and what it only reports is left out.
func settable(cookies []map[string]any) []map[string]any {
	for _, c := range cookies {
		if ends, _ := c["expires"].(float64); ends <= 0 {
			delete(c, "expires")
		}
		for _, name := range []string{"size", "session", "partitionKeyOpaque"} {
			delete(c, name)
		}
	}
	return cookies
}

// keep writes the cookies into the profile where they differ from the last ones.
func (r *running) keep(ctx context.Context) {
	if r.profile == nil {
		return
	}
	r.keeping.Lock()
	defer r.keeping.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTime)
	defer cancel()
	var all struct {
		Cookies json.RawMessage `json:"cookies"`
	}
	err := r.conn.Call(ctx, "", "Storage.getCookies", nil, &all)
	if err != nil { // it has ended, or hangs: what was kept last stays
		return
	}
	if string(all.Cookies) == r.kept {
		return
	}
	if err := r.profile.Keep(all.Cookies); err == nil {
		r.kept = string(all.Cookies)
	} else if r.profile.Warn != nil {
		r.profile.Warn(err)
	}
}
