package model

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

// Usage counts tokens as the provider counts them. Zero means none, or not reported.
type Usage struct {
	Input      int64 `json:"input,omitempty"`       // all tokens of the requests, cached ones included
	Output     int64 `json:"output,omitempty"`      // all tokens of the answers, thinking included
	CacheRead  int64 `json:"cache_read,omitempty"`  // of Input, read from the provider's cache
	CacheWrite int64 `json:"cache_write,omitempty"` // of Input, written to the provider's cache
	Thinking   int64 `json:"thinking,omitempty"`    // of Output, spent on thinking

	// Cost is the price in US dollars; 0 when it is not known.
	Cost float64 `json:"cost,omitempty"`
}

// Plus returns the sum of both.
func (u Usage) Plus(v Usage) Usage {
	return Usage{
		Input: u.Input + v.Input, Output: u.Output + v.Output, CacheRead: u.CacheRead + v.CacheRead,
		CacheWrite: u.CacheWrite + v.CacheWrite, Thinking: u.Thinking + v.Thinking, Cost: u.Cost + v.Cost,
	}
}

// Minus returns what u has more than v.
func (u Usage) Minus(v Usage) Usage {
	return u.Plus(Usage{-v.Input, -v.Output, -v.CacheRead, -v.CacheWrite, -v.Thinking, -v.Cost})
}
