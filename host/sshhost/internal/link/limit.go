package link

// Limit is how many sessions the server is believed to allow at the same time.
func (l *Link) Limit() int {
	l.sessions.mu.Lock()
	defer l.sessions.mu.Unlock()
	return l.sessions.limit
}
