package model

import "rein/event"

// ChunkKind is the kind of a chunk.
type ChunkKind string

// The kinds of chunks. The comment names the fields of Chunk that are set.
const (
	TextChunk     ChunkKind = "text"       // Text: the next piece of the answer
	ThinkingChunk ChunkKind = "thinking"   // Text: the next piece of the thinking
	CallStart     ChunkKind = "call_start" // Call, ID, Name: a call begins; its arguments follow, if any
	CallArgs      ChunkKind = "call_args"  // Call, ID, Name, Text: the next piece of its arguments
	CallEnd       ChunkKind = "call_end"   // Call, ID, Name: its arguments are complete. It may not run yet: see Done
	Notice        ChunkKind = "notice"     // Text: something that the user should know ("trying again in 2 s …")
	Restart       ChunkKind = "restart"    // Text: why; all that this stream yielded so far is void, the answer starts again
	Done          ChunkKind = "done"       // Message, Sources, Stop, Usage: the answer is whole; only now may its calls run
)

// Chunk is one piece of an answer while it streams.
type Chunk struct {
	Kind ChunkKind
	Text string

	Call int // which call of the message: 0, 1, …
	ID   string
	Name string

	Message *Message
	Sources []Source // of a Request with a Search: the pages that the provider found
	Stop    Stop
	Usage   Usage
	Retries int // how often the request was sent again before this answer; on Done, and on a notice of Retry
}

// Stop is the reason why a model stopped.
type Stop string

// The reasons to stop.
const (
	StopEnd       Stop = "end"       // the answer is complete
	StopCalls     Stop = "calls"     // it waits for the results of its calls
	StopLength    Stop = "length"    // the answer was cut at the token limit; calls that were cut are marked
	StopRefusal   Stop = "refusal"   // the model or a filter of the provider refused
	StopMalformed Stop = "malformed" // the provider could not read the model's call; its words are in the text
	StopPause     Stop = "pause"     // the provider wants another request that holds the answer so far
)

// Usage counts the tokens of one request as the provider counts them. It is the type that events have.
type Usage = event.Usage
