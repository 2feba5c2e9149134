// Package journal keeps what happened in a session: an append-only file of JSON lines for each session. A line is written
// before the effect that it describes. File is its event.Journal.
package journal
