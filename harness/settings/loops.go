package settings

// Loops say when an agent that repeats itself gets a note, needs an approval, and is stopped. Zero means the default, -1 never.
type Loops struct {
	Same     Ladder `json:"same,omitzero"`     // the same call with the same result: 3 and 5
	PingPong Ladder `json:"pingPong,omitzero"` // rounds of two calls with known results: 2 and 4
	Idle     Ladder `json:"idle,omitzero"`     // calls in a row with known results: 12 and 20
	Failures Ladder `json:"failures,omitzero"` // failures in a row of one tool, of the same kind: 4 and 7
	Stop     int    `json:"stop,omitempty"`    // requests in a row that nobody approved, after which the turn ends: 3
}

// Ladder is when a loop gets which answer.
type Ladder struct {
	Note int `json:"note,omitempty"` // the model gets a note
	Ask  int `json:"ask,omitempty"`  // the call needs an approval of a person
}
