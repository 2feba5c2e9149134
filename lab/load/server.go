package main

// This file measures the server: sessions at work, each watched by several clients over server-sent events, on
// loopback. The server is a process of its own. It prints how late events come, what is lost, and the memory and the processor
// time of the server.
//
//	go run ./lab/load server -sessions 200 -clients 5 -seconds 15

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"rein/app/harness"
	"rein/app/server"
	"rein/event"
)

func loadServer() {
	sessions := flag.Int("sessions", 200, "sessions that work at once")
	clients := flag.Int("clients", 5, "event streams of each session")
	seconds := flag.Int("seconds", 15, "how long the sessions write")
	server := flag.Bool("server", false, "be the server, until standard input ends")
	flag.Parse()
	err := error(nil)
	if *server {
		err = serveServeload(*sessions**clients, *seconds)
	} else {
		err = runServeload(*sessions, *clients, *seconds)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "serveload:", err)
		os.Exit(1)
	}
}

// seen is what one client got.
type seen struct {
	late     []time.Duration // from the event to the client
	recorded int64           // the number of the last event
	gaps     int
	done     bool
}

// runServeload starts the server and is its clients.
func runServeload(sessions, clients, seconds int) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	server := exec.Command(program, "server", "-server", fmt.Sprint("-sessions=", sessions), fmt.Sprint("-clients=", clients), fmt.Sprint("-seconds=", seconds))
	server.Stderr = os.Stderr
	server.Env = append([]string{"GOMAXPROCS=8"}, os.Environ()...) // as the command rein serve does; a value that is set counts
	out, err1 := server.StdoutPipe()
	end, err2 := server.StdinPipe()
	if err := errors.Join(err1, err2, server.Start()); err != nil {
		return err
	}
	var url, key string
	if _, err := fmt.Fscanln(out, &url, &key); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(seconds)*time.Second*4+time.Minute)
	defer cancel()
	got := make([]seen, sessions*clients)
	var watching sync.WaitGroup
	begun := time.Now()
	for i := range sessions {
		id, err := start(ctx, url, key)
		if err != nil {
			return err
		}
		for j := range clients {
			watching.Go(func() { got[i*clients+j] = watch(ctx, url, key, id) })
		}
	}
	watching.Wait()
	report(got, time.Since(begun))
	var memory int
	err = end.Close()
	if err == nil {
		_, err = fmt.Fscanln(out, &memory)
	}
	if err = errors.Join(err, server.Wait()); err != nil {
		return err
	}
	p := server.ProcessState
	fmt.Printf("the server: %d MB, %s of processor time\n", memory, (p.UserTime() + p.SystemTime()).Round(10*time.Millisecond))
	return nil
}

// serveServeload is the process of the server. It writes its address and key, and at the end the most memory that it had, in MB.
func serveServeload(streams, seconds int) error {
	root, err := os.MkdirTemp("", "rein-serveload-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(root)
	s, key, err := open(root, streams, seconds)
	if err != nil {
		return err
	}
	h := httptest.NewServer(s.Handler())
	memory := &peak{}
	stop := memory.follow()
	fmt.Println(h.URL, key)
	_, err = io.Copy(io.Discard, os.Stdin)
	stop()
	h.CloseClientConnections()
	h.Close()
	fmt.Println(memory.most >> 20)
	return errors.Join(err, s.Close(context.Background()))
}

// open makes a server whose model writes ten pieces in a second.
func open(root string, streams, seconds int) (*server.Server, string, error) {
	dir, script := filepath.Join(root, "ws"), filepath.Join(root, "script.yaml")
	text := strings.Repeat("0123456789", seconds*10)
	err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(script, []byte("pace: 100ms\ndelta: 10\nturns: [{text: \""+text+"\"}]\n"), 0o600))
	if err != nil {
		return nil, "", err
	}
	if err := os.Setenv("REIN_HOME", root); err != nil {
		return nil, "", err
	}
	s, err := server.New(context.Background(), server.Options{
		Harness: harness.Options{Dir: dir, Terms: harness.Terms{Model: "script/" + script, Sandbox: "off"}},
		Limits:  server.Limits{Streams: streams + 1, Changes: 1 << 20},
	})
	if err != nil {
		return nil, "", err
	}
	key, err := os.ReadFile(filepath.Join(root, "state", "server", "key"))
	return s, strings.TrimSpace(string(key)), err
}

func request(ctx context.Context, method, url, key, body string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err == nil && answer.StatusCode >= 300 {
		answer.Body.Close()
		err = errors.New(answer.Status)
	}
	return answer, err
}

func start(ctx context.Context, url, key string) (string, error) {
	answer, err := request(ctx, http.MethodPost, url+"/v1/sessions", key, `{"text":"write"}`)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	var s struct {
		ID string `json:"id"`
	}
	return s.ID, json.NewDecoder(answer.Body).Decode(&s)
}

// watch reads the stream of one session until its turn has ended.
func watch(ctx context.Context, url, key, id string) (got seen) {
	answer, err := request(ctx, http.MethodGet, url+"/v1/events?watch=s:"+id, key, "")
	if err != nil {
		return got
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	replayed := false
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		replayed = replayed || lines.Text() == "event: snapshot"
		if !ok || !strings.Contains(data, `"kind":`) {
			continue
		}
		var e event.Event
		if json.Unmarshal([]byte(data), &e) != nil || e.Session != id {
			continue
		}
		if replayed && !e.Time.IsZero() {
			got.late = append(got.late, time.Since(e.Time))
		}
		if e.Seq > 0 {
			if e.Seq != got.recorded+1 {
				got.gaps++
			}
			got.recorded = e.Seq
		}
		if e.Kind == event.Stopped {
			got.done = true
			return got
		}
	}
	return got
}

// peak follows the memory of the process.
type peak struct{ most uint64 }

func (p *peak) follow() (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			p.most = max(p.most, m.Sys-m.HeapReleased)
			select {
			case <-done:
				return
			case <-time.After(500 * time.Millisecond):
			}
		}
	}()
	return func() { close(done); <-ended }
}

func report(got []seen, took time.Duration) {
	var late []time.Duration
	gaps, unfinished := 0, 0
	for _, g := range got {
		late = append(late, g.late...)
		gaps += g.gaps
		if !g.done {
			unfinished++
		}
	}
	slices.Sort(late)
	at := func(share float64) time.Duration {
		if len(late) == 0 {
			return 0
		}
		return late[int(share*float64(len(late)-1))].Round(10 * time.Microsecond)
	}
	fmt.Printf("%d streams, %d events in %s: p50 %s, p99 %s, p99.9 %s late; %d gaps, %d streams without an end\n",
		len(got), len(late), took.Round(time.Millisecond), at(0.5), at(0.99), at(0.999), gaps, unfinished)
}
