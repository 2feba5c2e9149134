package bucket

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/minio/minio-go/v7"

	"rein/event"
	"rein/temporal"
)

// service is a server with the bucket tea. busy is how many of its next answers are 503.
type service struct {
	*httptest.Server
	busy  atomic.Int64
	asked atomic.Int64
}

func newService(t *testing.T) *service {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("tea"); err != nil {
		t.Fatal(err)
	}
	inner, s := gofakes3.New(backend).Server(), &service{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		if !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential=key/") {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		if s.busy.Add(-1) >= 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func environment(name string) string {
	return map[string]string{"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "swordfish"}[name]
}

func (s *service) open(t *testing.T, inner temporal.Store) *Store {
	t.Helper()
	b, err := Open(t.Context(), s.URL+"/tea/of/ours", inner, environment)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// What is large is in the bucket, for all workers; the rest is in the store.
func TestLargeDataIsInTheBucket(t *testing.T) {
	s, inner := newService(t), temporal.Files{Dir: t.TempDir()}
	b := s.open(t, inner)
	small, large := []byte("small"), bytes.Repeat([]byte("large"), 1<<20)
	for name, data := range map[string][]byte{"small": small, "large": large} {
		if err := b.Put(t.Context(), "s1", name, data); err != nil {
			t.Fatal(err)
		}
		if got, err := s.open(t, inner).Get(t.Context(), "s1", name); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
		if _, err := inner.Get(t.Context(), "s1", name); (err != nil) != (name == "large") {
			t.Errorf("the store has %s: %v", name, err)
		}
	}
	if _, err := b.Get(t.Context(), "s2", "large"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("data of another session: %v", err)
	}
	for _, at := range [][2]string{{"../s1", "large"}, {"s1", "../large"}, {"s1", ""}} {
		if err := b.Put(t.Context(), at[0], at[1], large); err == nil {
			t.Errorf("%v is a place", at)
		}
	}
}

// An answer 503 is tried again. Where it does not end, the error says so, and what was there before is there after it.
func TestABucketThatIsBusy(t *testing.T) {
	s, inner := newService(t), temporal.Files{Dir: t.TempDir()}
	b, large := s.open(t, inner), bytes.Repeat([]byte("large"), 1<<16)
	s.busy.Store(3)
	if err := b.Put(t.Context(), "s1", "one", large); err != nil {
		t.Errorf("after three answers 503: %v", err)
	}
	s.busy.Store(2)
	if got, err := b.Get(t.Context(), "s1", "one"); err != nil || !bytes.Equal(got, large) {
		t.Errorf("after two answers 503: %d bytes, %v", len(got), err)
	}
	s.busy.Store(1000)
	asked := s.asked.Load()
	err := b.Put(t.Context(), "s1", "two", large)
	if err == nil || !strings.Contains(err.Error(), "again and again with the status 503") || strings.Contains(err.Error(), "swordfish") || s.asked.Load()-asked < 5 {
		t.Errorf("after %d requests: %v", s.asked.Load()-asked, err)
	}
	if _, err = b.Get(t.Context(), "s1", "one"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what cannot be read is taken for what is not there: %v", err)
	}
	s.busy.Store(0)
	if got, err := b.Get(t.Context(), "s1", "one"); err != nil || !bytes.Equal(got, large) {
		t.Errorf("later: %d bytes, %v", len(got), err)
	}
}

func TestAddressesOfBuckets(t *testing.T) {
	s := newService(t)
	for _, row := range []struct{ rule, address, says string }{
		{"no bucket is named", s.URL, "names no bucket"},
		{"a bucket that is not there", s.URL + "/coffee", "there is none"},
		{"plain http to another machine", "http://example.com/tea", "is to be reached by https"},
		{"a password", "https://ada:x@example.com/tea", "is no address of a bucket"},
		{"no address", "tea", "is no address of a bucket"},
	} {
		if _, err := Open(t.Context(), row.address, nil, environment); err == nil || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v", row.rule, err)
		}
	}
	if _, err := Open(t.Context(), s.URL+"/tea", nil, func(string) string { return "" }); err == nil || !strings.Contains(err.Error(), "AWS_ACCESS_KEY_ID") {
		t.Errorf("no keys: %v", err)
	}
	wrong := func(string) string { return "wrong" }
	if _, err := Open(t.Context(), s.URL+"/tea", nil, wrong); err == nil || !strings.Contains(err.Error(), "the bucket "+s.URL) {
		t.Errorf("wrong keys: %v", err)
	}
}

// With keys an object holds no plain text. Without them it cannot be read, and the error says which key is missing.
func TestObjectsAreSealed(t *testing.T) {
	s, inner := newService(t), temporal.Files{Dir: t.TempDir()}
	large := bytes.Repeat([]byte("swordfish"), 1<<14)
	before := s.open(t, inner)
	if err := before.Put(t.Context(), "s1", "old", large); err != nil {
		t.Fatal(err)
	}
	sealing := s.open(t, inner)
	var err error
	if sealing.Keys, err = temporal.ParseKeys("one:AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="); err != nil {
		t.Fatal(err)
	}
	if err := sealing.Put(t.Context(), "s1", "new", large); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"old", "new"} {
		if got, err := sealing.Get(t.Context(), "s1", name); err != nil || !bytes.Equal(got, large) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	if _, err := before.Get(t.Context(), "s1", "new"); err == nil || !strings.Contains(err.Error(), `no key "one"`) {
		t.Errorf("without the key: %v", err)
	}
	key, _ := sealing.key("s1", "new")
	o, err := sealing.client.GetObject(t.Context(), sealing.name, key, minio.GetObjectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if raw, err := io.ReadAll(o); err != nil || bytes.Contains(raw, []byte("swordfish")) {
		t.Errorf("the object has %d bytes in plain, %v", len(raw), err)
	}
}

// A removal takes the objects of one session. Where it is cut off, the store still has the session, and it can be repeated.
func TestObjectsAreRemoved(t *testing.T) {
	s, inner := newService(t), temporal.Files{Dir: t.TempDir()}
	b, large := s.open(t, inner), bytes.Repeat([]byte("large"), 1<<16)
	for _, id := range []string{"s1", "s1-b"} {
		log, err := b.Open(t.Context(), id)
		if err == nil {
			err = errors.Join(log.Append(event.Event{Kind: event.Prompted, Session: id, Time: time.Now()}), log.Close(), b.Put(t.Context(), id, "one", large), b.Put(t.Context(), id, "two", large))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s.busy.Store(1000)
	if err := b.Remove(t.Context(), temporal.Removal{Session: "s1", Seq: 1}); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("a bucket that is busy: %v", err)
	}
	s.busy.Store(0)
	left := 0
	for one, err := range b.Sessions(t.Context()) {
		if left++; err != nil || one.Seq != 1 {
			t.Errorf("%+v, %v", one, err)
		}
	}
	if left != 2 {
		t.Errorf("%d sessions are left", left)
	}
	for range 2 {
		if err := b.Remove(t.Context(), temporal.Removal{Session: "s1", Seq: 1}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"one", "two"} {
		if _, err := b.Get(t.Context(), "s1", name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is left: %v", name, err)
		}
		if got, err := b.Get(t.Context(), "s1-b", name); !bytes.Equal(got, large) {
			t.Errorf("%s of another session: %v", name, err)
		}
	}
}

// Who watches a store with a bucket sees what happens, as without one.
func TestABucketTellsWhatHappens(t *testing.T) {
	b := newService(t).open(t, temporal.Files{Dir: t.TempDir()})
	live, ok := temporal.Store(b).(temporal.Live)
	if !ok {
		t.Fatal("it tells nothing")
	}
	for h, err := range live.Watch(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if h.Live != nil {
			break
		}
		if err := live.Show(t.Context(), event.Event{Kind: event.Delta, Session: "s1", Text: "hello"}); err != nil {
			t.Fatal(err)
		}
	}
}
