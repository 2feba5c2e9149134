// Package bucket keeps large data of sessions in a bucket of a service that speaks the protocol of S3, beside a store that has all else.
package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"rein/event"
	"rein/journal"
	"rein/temporal"
)

// Least is the size from which data is in the bucket, in bytes. What is smaller is in the store, where it is read faster.
const Least = 64 << 10

// longest is how long one request may take with its repetitions.
const longest = 2 * time.Minute

// Store is a store whose large data is in a bucket.
type Store struct {
	temporal.Store
	Keys         temporal.Keys // encrypt the objects; what was there before stays as it is
	client       *minio.Client
	name, prefix string
	address      string // as it was given
}

// Open opens the bucket at https://HOST/NAME or https://HOST/NAME/PREFIX. Plain http is for this machine. The keys are in AWS_ACCESS_KEY_ID,
// AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, the region in AWS_REGION. A bucket that is not there is an error.
func Open(ctx context.Context, address string, inner temporal.Store, getenv func(string) string) (*Store, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" {
		return nil, fmt.Errorf("%q is no address of a bucket: https://HOST/NAME", address)
	}
	name, prefix, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
	switch {
	case name == "":
		return nil, fmt.Errorf("%q names no bucket: https://HOST/NAME", address)
	case u.Scheme != "https" && (u.Scheme != "http" || !isHere(u.Hostname())):
		return nil, fmt.Errorf("the bucket %s is to be reached by https: what others read on the way are files of users", address)
	}
	key, secret := getenv("AWS_ACCESS_KEY_ID"), getenv("AWS_SECRET_ACCESS_KEY")
	if key == "" || secret == "" {
		return nil, errors.New("the bucket needs keys: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	s := &Store{Store: inner, name: name, prefix: prefix, address: address}
	s.client, err = minio.New(u.Host, &minio.Options{Secure: u.Scheme == "https", Region: getenv("AWS_REGION"),
		Creds: credentials.NewStaticV4(key, secret, getenv("AWS_SESSION_TOKEN"))})
	if err != nil {
		return nil, s.failed("", err)
	}
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	is, err := s.client.BucketExists(ctx, name)
	if err == nil && !is {
		err = errors.New("there is none: make it")
	}
	return s, s.failed("", err)
}

func isHere(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// failed says which bucket it is. What is not there is fs.ErrNotExist.
func (s *Store) failed(what string, err error) error {
	if err == nil {
		return nil
	}
	answer := minio.ToErrorResponse(err)
	if answer.Code == minio.NoSuchKey {
		return fmt.Errorf("%s: %w", what, fs.ErrNotExist)
	}
	if answer.StatusCode >= http.StatusInternalServerError || answer.StatusCode == http.StatusTooManyRequests {
		err = fmt.Errorf("it answers again and again with the status %d (%w)", answer.StatusCode, err)
	}
	return fmt.Errorf("the bucket %s: %w", s.address, err)
}

// key is where an object is. Neither a session nor a name leads elsewhere.
func (s *Store) key(session, name string) (string, error) {
	dir, err := journal.Dir(s.prefix, session)
	if err == nil && (name == "" || path.Base(name) != name) {
		err = fmt.Errorf("%q is no name of data", name)
	}
	return path.Join(filepath.ToSlash(dir), name), err
}

// Put keeps data. It returns when the bucket has it.
func (s *Store) Put(ctx context.Context, session, name string, data []byte) error {
	if len(data) < Least {
		return s.Store.Put(ctx, session, name, data)
	}
	key, err := s.key(session, name)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	data = s.Keys.Seal(key, data)
	_, err = s.client.PutObject(ctx, s.name, key, bytes.NewReader(data), int64(len(data)), minio.PutObjectOptions{ContentType: "application/octet-stream"})
	return s.failed(name, err)
}

// Get gives data back.
func (s *Store) Get(ctx context.Context, session, name string) ([]byte, error) {
	data, err := s.Store.Get(ctx, session, name)
	if !errors.Is(err, fs.ErrNotExist) {
		return data, err
	}
	key, err := s.key(session, name)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	o, err := s.client.GetObject(ctx, s.name, key, minio.GetObjectOptions{})
	if err != nil {
		return nil, s.failed(name, err)
	}
	defer o.Close()
	if data, err = io.ReadAll(o); err == nil {
		data, err = s.Keys.Unseal(key, data)
	}
	return data, s.failed(name, err)
}

// Remove removes the objects of a session, and then what the store has of it: one that is cut off can be repeated, as the store still has the session.
func (s *Store) Remove(ctx context.Context, r temporal.Removal) error {
	dir, err := s.key(r.Session, "x")
	if err != nil {
		return err
	}
	first := r.First
	r.First = func(ctx context.Context) error {
		if first != nil {
			if err := first(ctx); err != nil {
				return err
			}
		}
		return s.failed(r.Session, s.empty(ctx, path.Dir(dir)+"/"))
	}
	return s.Store.Remove(ctx, r)
}

// empty removes all objects whose names begin with a prefix.
func (s *Store) empty(ctx context.Context, prefix string) error {
	ctx, cancel := context.WithCancel(ctx) // ends the list
	defer cancel()
	for o := range s.client.ListObjects(ctx, s.name, minio.ListObjectsOptions{Prefix: prefix, Recursive: true}) {
		err := o.Err
		if err == nil {
			err = s.client.RemoveObject(ctx, s.name, o.Key, minio.RemoveObjectOptions{})
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Show implements temporal.Live where the store does.
func (s *Store) Show(ctx context.Context, e event.Event) error {
	if live, ok := s.Store.(temporal.Live); ok {
		return live.Show(ctx, e)
	}
	return nil
}

// Watch implements temporal.Live. Of a store that does not tell what happens it gives the first one only.
func (s *Store) Watch(ctx context.Context) iter.Seq2[temporal.Happened, error] {
	if live, ok := s.Store.(temporal.Live); ok {
		return live.Watch(ctx)
	}
	return func(yield func(temporal.Happened, error) bool) {
		if yield(temporal.Happened{}, nil) {
			<-ctx.Done()
		}
	}
}
