package host

// Resetter is implemented by hosts that keep a connection, and the error of one that
// was refused.
type Resetter interface {
	// Reset closes the connection, which ends all that runs on it, and forgets errors.
	// The next operation connects again.
	Reset()
}

// Reset resets h if it is a [Resetter]. It is for waiting for a host that starts, whose
// first answers are not its last ones.
func Reset(h Host) {
	if r, ok := h.(Resetter); ok {
		r.Reset()
	}
}
