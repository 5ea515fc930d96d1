package host

// Resetter is implemented by hosts that keep a connection, or the error of a rejected one.
type Resetter interface {
	// Reset closes the connection, which ends everything that runs on it, and clears stored
	// errors. The next operation connects again.
	Reset()
}

// Reset resets h if it is a [Resetter]. Callers that wait for a host to boot use it,
// because errors during the boot are not permanent.
func Reset(h Host) {
	if r, ok := h.(Resetter); ok {
		r.Reset()
	}
}
