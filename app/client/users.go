package client

import (
	"context"
	"net/http"

	"rein/app/server/api"
)

// Users returns the users of the server beside its owner. Only the owner may ask for them, and add and remove them.
func (c *Client) Users(ctx context.Context) (all []api.User, err error) {
	return all, c.get(ctx, at("users"), &all)
}

// AddUser adds a user, and returns the user's key, which the server does not keep.
func (c *Client) AddUser(ctx context.Context, u api.User) (k api.NewKey, err error) {
	return k, c.post(ctx, at("users"), u, &k)
}

// RemoveUser removes a user: the key and the browsers of the user stop working.
func (c *Client) RemoveUser(ctx context.Context, name string) error {
	return c.do(ctx, http.MethodDelete, at("users", name), nil, nil)
}
