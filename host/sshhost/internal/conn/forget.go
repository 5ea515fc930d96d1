package conn

// Forget forgets that the host has refused, or was not reached: a machine that starts
// lets nobody in for a while.
func (l *Conn) Forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refused, l.missed = nil, nil
}
