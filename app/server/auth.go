package server

// The server is used by those who have the owner's key, users with roles, and the browsers that are signed in. It keeps
// no secret of a user, only SHA-256 hashes; the owner's key is in a file that only the owner can read.

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"rein/internal/plainfile"
)

// login is a browser that is signed in.
type login struct {
	Hash    string    `json:"hash"` // of the cookie
	User    string    `json:"user"`
	Expires time.Time `json:"expires"`
	As      *User     `json:"as,omitempty"`   // whom a provider of accounts named, see SignInAs
	From    string    `json:"from,omitempty"` // what the provider was, with As
}

type keptUsers struct {
	Users  []User  `json:"users"`
	Logins []login `json:"logins"`
}

// Limits of what is kept.
const (
	loginLifetime = 30 * 24 * time.Hour // after which a browser must sign in again
	codeTime      = 10 * time.Minute    // in which a one-time code must be used
	maxLogins     = 200                 // the oldest ones end

	// providerTime is after how long a user of a provider of accounts must sign in again, and gets the role of then.
	providerTime = 12 * time.Hour
)

// The errors of this package.
var (
	errUnknown = errors.New("the key is not known")
	errName    = errors.New("a name has 1 to 40 letters, digits, dots, dashes or underscores, is taken only once, and is not \"owner\"")
	errRole    = errors.New("a role is viewer, approver or operator")
)

// users keeps users and logins in a file. It may be used by several goroutines at once. A second process that changes the
// file is noticed: rein serve users works while the server runs.
type users struct {
	file    string
	keyFile string
	key     string // the owner's, in place of that of the file

	mu    sync.Mutex
	stamp string
	kept  keptUsers
	from  string               // the provider of accounts whose users are let in
	codes map[string]time.Time // hash of a one-time code and of the owner's key then → its end

	version  atomic.Int64 // see Version; the next ones are what was seen when it was looked for last
	looked   atomic.Int64 // ns
	keyStamp string
}

// lookEvery is how often Version looks for what changes without this store: files that other processes write, and logins that expire.
const lookEvery = 40 * time.Millisecond

// Version is another number after each change of who is let in, and as whom: what an event stream has asked before holds while it is the same.
func (s *users) Version() int64 {
	now := time.Now()
	last := s.looked.Load()
	if now.UnixNano()-last < int64(lookEvery) || !s.looked.CompareAndSwap(last, now.UnixNano()) {
		return s.version.Load()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	key := stampOf(s.keyFile)
	if key != s.keyStamp || slices.ContainsFunc(s.kept.Logins, func(l login) bool { return l.Expires.UnixNano() > last && !now.Before(l.Expires) }) {
		s.version.Add(1)
	}
	s.keyStamp = key
	return s.version.Load()
}

// OpenUsers reads the store in a directory. The owner's key is in keyFile, which is made, with mode 0600, when it is not there;
// made then reports true.
func OpenUsers(dir, keyFile string) (s *users, made bool, err error) {
	if keyFile == "" {
		keyFile = KeyFile(dir)
	}
	if _, made, err = ownerKey(keyFile); err != nil {
		return nil, false, err
	}
	s = &users{file: filepath.Join(dir, "users.json"), keyFile: keyFile, codes: map[string]time.Time{}}
	return s, made, s.read()
}

// KeyFile is where the owner's key is kept by default.
func KeyFile(dir string) string { return filepath.Join(dir, "key") }

func ownerKey(file string) (key string, made bool, err error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		key = randomText()
		return key, true, plainfile.Replace(file, []byte(key+"\n"))
	}
	if err != nil {
		return "", false, err
	}
	if info, err := os.Stat(file); err == nil && tooOpen(info) {
		return "", false, fmt.Errorf("other users of this machine can read %s: run chmod 600 on it", file)
	}
	if key = strings.TrimSpace(string(text)); len(key) < 32 {
		return "", false, fmt.Errorf("%s holds no key: a key has at least 32 letters", file)
	}
	return key, false, nil
}

// NewKey replaces the owner's key and returns the new one. The browsers of the owner are signed out.
func NewKey(dir, keyFile string) (string, error) {
	if keyFile == "" {
		keyFile = KeyFile(dir)
	}
	s, _, err := OpenUsers(dir, keyFile)
	if err != nil {
		return "", err
	}
	key := randomText()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept.Logins = slices.DeleteFunc(s.kept.Logins, func(l login) bool { return l.User == "" })
	return key, errors.Join(plainfile.Replace(keyFile, []byte(key+"\n")), s.write())
}

// Code makes a one-time code that signs one browser in as the owner, within codeTime and while the owner's key stays.
func (s *users) Code() string {
	code := randomText()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.codes[s.codeHash(code)] = time.Now().Add(codeTime)
	return code
}

func (s *users) codeHash(code string) string {
	owner, _, _ := ownerKey(s.keyFile) // without one it stays the same
	return hash(code + " " + owner)
}

// Key returns the user whose key it is.
func (s *users) Key(key string) (User, error) {
	h := hash(key)
	if s.key != "" {
		if sameHash(h, hash(s.key)) {
			return User{Role: roleOperator}, nil
		}
		return User{}, errUnknown
	}
	if owner, _, err := ownerKey(s.keyFile); err == nil && sameHash(h, hash(owner)) {
		return User{Role: roleOwner}, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	for _, u := range s.kept.Users {
		if sameHash(h, u.Hash) {
			return u, nil
		}
	}
	return User{}, errUnknown
}

// SignIn takes a one-time code or a key and returns the secret of a new cookie.
func (s *users) SignIn(codeOrKey string) (cookie string, u User, err error) {
	s.mu.Lock()
	code := s.codeHash(codeOrKey)
	end, isCode := s.codes[code]
	delete(s.codes, code)
	s.mu.Unlock()
	switch {
	case isCode && time.Now().Before(end):
		u = User{Role: roleOwner}
	default:
		if u, err = s.Key(codeOrKey); err != nil {
			return "", u, err
		}
	}
	cookie, err = s.remember(login{User: u.Name}, loginLifetime)
	return cookie, u, err
}

// SignInAs returns the secret of a new cookie for a user whom a provider of accounts named. The cookie counts as long as the
// store accepts from, which names the provider and its settings: see Accept.
func (s *users) SignInAs(u User, from string) (cookie string, err error) {
	if u.Name == "" || from == "" || !u.Role.mayBeGiven() {
		return "", errUnknown
	}
	u.Hash = ""
	return s.remember(login{User: u.Name, As: &u, From: from}, providerTime)
}

// Accept names the provider of accounts whose users are let in; "" is none. Cookies from another one do not count.
func (s *users) Accept(from string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.from = from
	s.version.Add(1)
}

// remember keeps a login and returns the secret of its cookie.
func (s *users) remember(l login, age time.Duration) (cookie string, err error) {
	cookie = randomText()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	now := time.Now()
	l.Hash, l.Expires = hash(cookie), now.Add(age)
	s.kept.Logins = slices.DeleteFunc(s.kept.Logins, func(l login) bool { return now.After(l.Expires) })
	if over := len(s.kept.Logins) - maxLogins + 1; over > 0 {
		s.kept.Logins = s.kept.Logins[over:]
	}
	s.kept.Logins = append(s.kept.Logins, l)
	return cookie, s.write()
}

// Cookie returns the user of a cookie.
func (s *users) Cookie(cookie string) (User, error) {
	h := hash(cookie)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	for _, l := range s.kept.Logins {
		if !sameHash(h, l.Hash) || !time.Now().Before(l.Expires) {
			continue
		}
		if l.As == nil && l.From == "" {
			return s.named(l.User)
		}
		if l.As != nil && sameHash(l.From, s.from) {
			return *l.As, nil
		}
	}
	return User{}, errUnknown
}

// SignOut ends a cookie.
func (s *users) SignOut(cookie string) error {
	h := hash(cookie)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	s.kept.Logins = slices.DeleteFunc(s.kept.Logins, func(l login) bool { return sameHash(h, l.Hash) })
	return s.write()
}

// named returns the user of a name; s.mu is held.
func (s *users) named(name string) (User, error) {
	if name == "" {
		return User{Role: roleOwner}, nil
	}
	for _, u := range s.kept.Users {
		if u.Name == name {
			return u, nil
		}
	}
	return User{}, errUnknown
}

// Users returns all users except the owner, without their hashes.
func (s *users) Users() []User {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	all := slices.Clone(s.kept.Users)
	for i := range all {
		all[i].Hash = ""
	}
	return all
}

var plainName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\p{L}\p{N}._-]{1,40}$`) })

// Add adds a user and returns the key, which is not kept.
func (s *users) Add(u User) (key string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	if _, err := s.named(u.Name); err == nil || !plainName().MatchString(u.Name) || strings.EqualFold(u.Name, string(roleOwner)) {
		return "", errName
	}
	if !u.Role.mayBeGiven() {
		return "", errRole
	}
	key = randomText()
	u.Hash = hash(key)
	s.kept.Users = append(s.kept.Users, u)
	return key, s.write()
}

// Remove removes a user. The user's key and browsers do not work any more.
func (s *users) Remove(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	if _, err := s.named(name); err != nil || name == "" {
		return fmt.Errorf("no user has the name %q", name)
	}
	s.kept.Users = slices.DeleteFunc(s.kept.Users, func(u User) bool { return u.Name == name })
	s.kept.Logins = slices.DeleteFunc(s.kept.Logins, func(l login) bool { return l.User == name })
	return s.write()
}

// refresh reads the file again when another process has changed it; s.mu is held. A file that cannot be read any more
// leaves nobody signed in.
func (s *users) refresh() {
	if stampOf(s.file) != s.stamp && s.read() != nil {
		s.kept = keptUsers{}
	}
}

func stampOf(file string) string {
	info, err := os.Stat(file)
	if err != nil {
		return ""
	}
	return plainfile.Stamp(info)
}

func (s *users) read() error {
	s.version.Add(1)
	stamp := stampOf(s.file)
	text, err := os.ReadFile(s.file)
	if errors.Is(err, fs.ErrNotExist) {
		s.kept, s.stamp = keptUsers{}, stamp
		return nil
	}
	var k keptUsers
	if err == nil {
		err = json.Unmarshal(text, &k)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.file, err)
	}
	s.kept, s.stamp = k, stamp
	return nil
}

func (s *users) write() error {
	text, err := json.MarshalIndent(s.kept, "", "\t")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(s.file), 0o700)
	}
	if err == nil {
		err = plainfile.Replace(s.file, append(text, '\n'))
	}
	s.stamp = stampOf(s.file)
	s.version.Add(1)
	return err
}

// randomText returns 256 bits as text.
func randomText() string {
	var b [32]byte
	rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}

func hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// sameHash compares hashes. They are not secret, so the time that it takes gives nothing away.
func sameHash(a, b string) bool { return a != "" && a == b }
