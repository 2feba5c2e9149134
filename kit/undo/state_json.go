package undo

import (
	"encoding/hex"
	"encoding/json"
)

// MarshalJSON writes null for nothing, else an object with mode, size, sum (in hex), target and left.
func (s State) MarshalJSON() ([]byte, error) {
	if !s.exists {
		return []byte("null"), nil
	}
	return json.Marshal(struct {
		Mode   string `json:"mode"`
		Size   int64  `json:"size"`
		Sum    string `json:"sum,omitempty"`
		Target string `json:"target,omitempty"`
		Left   Left   `json:"left,omitempty"`
	}{s.Mode.String(), s.Size, hex.EncodeToString([]byte(s.Sum)), s.Target, s.Left})
}

// MarshalJSON writes the error as its text.
func (f Failure) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{"path": f.Path, "error": f.Err.Error()})
}
