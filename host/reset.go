package host

// Resetter is a host that remembers how it was connected to, and that it was refused.
type Resetter interface {
	// Reset ends the connection, with all that runs on it, and forgets why there could be
	// none. The next operation connects anew.
	Reset()
}

// Reset does so for a host that is a [Resetter]. It is for those who wait for a machine
// that starts: what it answers at first is not what it answers in the end.
func Reset(h Host) {
	if r, ok := h.(Resetter); ok {
		r.Reset()
	}
}
