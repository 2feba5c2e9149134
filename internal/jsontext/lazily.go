package jsontext

import (
	"regexp"
	"sync"
)

// lazy is an expression that is compiled when it is used first: most programs never meet broken JSON, and all of them start.
type lazy struct {
	text     string
	once     sync.Once
	compiled *regexp.Regexp
}

func (l *lazy) get() *regexp.Regexp {
	l.once.Do(func() { l.compiled = regexp.MustCompile(l.text) })
	return l.compiled
}
