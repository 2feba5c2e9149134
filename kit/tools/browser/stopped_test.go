//go:build unix

package browser

import (
	"syscall"
	"testing"
	"time"
)

// TestABrowserThatHangs stops all processes of the browser: the next navigation starts another.
func TestABrowserThatHangs(t *testing.T) {
	b, base := newBrowser(t)
	use(t, b, "navigate", m{"url": base + "/second"})
	b.limits.answer, b.limits.replace = time.Second, time.Second
	old := b.current()
	if err := old.process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	text, _ := use(t, b, "navigate", m{"url": base + "/second"})
	wants(t, text, "a new one was started", "Title: Second")
	if b.current() == old {
		t.Error("the old browser is still used")
	}
}
