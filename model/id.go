package model

import "math/rand/v2"

const idLetters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// NewID returns a call id: a letter and 8 letters or digits, the one form that every provider takes (Mistral wants
// exactly 9). 62^8 of them: a session of a thousand calls has a chance of 1 in 400 million to see one twice.
func NewID() string {
	b := [9]byte{0: 'c'}
	for i := 1; i < len(b); i++ {
		b[i] = idLetters[rand.IntN(len(idLetters))]
	}
	return string(b[:])
}
