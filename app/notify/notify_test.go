package notify

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestANoteIsCleanBeforeItLeaves(t *testing.T) {
	s := &Sender{Mask: func(text string) string { return strings.ReplaceAll(text, "hunter2", "[secret]") }}
	for text, want := range map[string]string{
		" a\x1b[31m\x07b ": "a [31m b", "the key is hunter2": "the key is [secret]", "two\nlines": "two\nlines",
		strings.Repeat("ä", mostText): strings.Repeat("ä", (mostText-3)/2) + "…",
	} {
		if got := s.clean(text, mostText); got != want {
			t.Errorf("%.40q: %.40q", text, got)
		}
	}
}

// TestTheDesktopGetsTextAndNoOptions uses a program in place of notify-send.
func TestTheDesktopGetsTextAndNoOptions(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("the program is notify-send on other systems")
	}
	dir := t.TempDir()
	script := "#!/bin/sh\nfor a in \"$@\"; do echo \"$a\"; done > " + dir + "/got\nenv >> " + dir + "/got\n"
	if err := os.WriteFile(filepath.Join(dir, "notify-send"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("DISPLAY", ":7")
	t.Setenv("SOME_API_KEY", "hunter2")
	if d, _ := FindDesktop(os.Getenv); d != nil && strings.HasPrefix(d.program.Path, dir) {
		t.Error("sandbox-19 a program of the PATH would run without a sandbox:", d.program.Path)
	}
	d, why := findDesktop(os.Getenv, []string{filepath.Join(dir, "none"), dir})
	if d == nil {
		t.Fatal(why)
	}
	s := &Sender{Desktop: d}
	if err := s.Send(t.Context(), Note{Kind: Message, Title: "--hint=x\nsecond", Text: "<b>1 & 2</b>"}); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(filepath.Join(dir, "got"))
	if got := string(text); !strings.HasPrefix(got, "--app-name=rein\n--urgency=normal\n--\n--hint=x second\n&lt;b&gt;1 &amp; 2&lt;/b&gt;\n") || strings.Contains(got, "hunter2") || !strings.Contains(got, "DISPLAY=:7") {
		t.Error(got)
	}
	if d, why := FindDesktop(func(string) string { return "" }); d != nil || why == "" {
		t.Error("a desktop where there is none")
	}
}

// mailServer is a mail server that offers no encryption. It returns what it was sent.
func mailServer(t *testing.T) (address string, got chan string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	got = make(chan string, 1)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		in, all := bufio.NewScanner(conn), strings.Builder{}
		fmt.Fprint(conn, "220 here\r\n")
		for data := false; in.Scan(); {
			line := in.Text()
			all.WriteString(line + "\n")
			switch {
			case data && line == ".":
				data = false
				fmt.Fprint(conn, "250 kept\r\n")
			case data:
			case strings.HasPrefix(line, "EHLO"):
				fmt.Fprint(conn, "250-here\r\n250 AUTH PLAIN\r\n")
			case line == "DATA":
				data = true
				fmt.Fprint(conn, "354 go on\r\n")
			case line == "QUIT":
				fmt.Fprint(conn, "221 bye\r\n")
				got <- all.String()
				return
			case strings.HasPrefix(line, "AUTH"):
				fmt.Fprint(conn, "235 ok\r\n")
			default:
				fmt.Fprint(conn, "250 ok\r\n")
			}
		}
	}()
	return l.Addr().String(), got
}

func TestMail(t *testing.T) {
	address, got := mailServer(t)
	s := &Sender{Mail: Mail{Server: address, From: "rein <rein@example.com>", To: "me@example.com", User: "u", Password: "p"}}
	n := Note{Kind: End, Title: "Fertig: größer\r\nBcc: evil@example.com", Text: "all green\n.\nBcc: x", Session: "s1", Time: time.Unix(0, 0).UTC()}
	if err := s.Send(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	mail := <-got
	for _, want := range []string{"MAIL FROM:<rein@example.com>", "RCPT TO:<me@example.com>", "AUTH PLAIN", "Subject: =?utf-8?q?", "all green\n..\nBcc: x", "session s1"} {
		if !strings.Contains(mail, want) {
			t.Errorf("no %q in\n%s", want, mail)
		}
	}
	if head, _, _ := strings.Cut(mail, "\n\n"); strings.Contains(head, "\nBcc:") {
		t.Error("the title became a header:\n" + head)
	}
}

func TestMailAddresses(t *testing.T) {
	if local("10.0.0.1") || local("mail.example.com") || !local("127.0.0.1") || !local("localhost") {
		t.Error("which servers are this machine")
	}
	for _, m := range []Mail{{Server: "mail.example.com", From: "a@b.c", To: "a@b.c"}, {Server: "h:25", From: "", To: "a@b.c"}, {Server: "h:25", From: "a@b.c", To: "x\r\ny"}} {
		if m.Check() == nil {
			t.Errorf("%+v is taken", m)
		}
	}
}
