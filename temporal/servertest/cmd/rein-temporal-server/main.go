// Command rein-temporal-server is a Temporal server for one machine, with its state in a file. rein-temporal dev starts it.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"rein/temporal/servertest"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "rein-temporal-server:", err)
		os.Exit(1)
	}
}

func run() error {
	file := flag.String("file", "temporal.db", "the SQLite database with the state")
	address := flag.String("address", "127.0.0.1:7233", "where clients connect: nobody is asked who they are, so this machine only")
	namespace := flag.String("namespace", "default", "made where it is missing")
	flag.Parse()
	stop, err := servertest.Start(servertest.Options{File: *file, Address: *address, Namespaces: []string{*namespace}})
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "rein-temporal-server: a Temporal server listens on %s, namespace %s\n", *address, *namespace)
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, os.Interrupt, syscall.SIGTERM)
	<-ended
	return stop()
}
