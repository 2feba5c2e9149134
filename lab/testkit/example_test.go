package testkit

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
)

// A Recorder writes each exchange with a server as a line of JSON; a Player answers from these lines, without the network.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "pong") }))
	defer server.Close()

	var recording bytes.Buffer
	recorder := &Recorder{To: &recording}
	ask := func(transport http.RoundTripper) string {
		res, err := (&http.Client{Transport: transport}).Post(server.URL+"/v1/ask", "text/plain", strings.NewReader("ping"))
		if err != nil {
			return err.Error()
		}
		defer res.Body.Close()
		answer, _ := io.ReadAll(res.Body)
		return string(answer)
	}
	fmt.Println("recorded:", ask(recorder))

	player, err := readCassette(&recording)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("replayed:", ask(player))
	// Output:
	// recorded: pong
	// replayed: pong
}
