package server

import (
	"context"
	"sync"
	"time"
)

// stopTimeout limits how long StopProvider waits for the ends of streams. It is longer
// than most steps on a host over SSH need to complete or to be undone after an interruption.
const stopTimeout = 15 * time.Second

// streams tracks the RPCs in progress whose response is a stream. Once StopProvider has
// returned, terraform-plugin-go cancels their contexts and drops their next events, so that
// clients would treat an interrupted action or list as complete. Therefore
// StopProvider calls stop before it returns, and the streams send their last event.
type streams struct {
	mu       sync.Mutex
	running  map[*stream]struct{}
	stopping int           // the number of calls of stop in progress
	ended    chan struct{} // closed and set to nil when no stream is running; nil until a call of stop waits
}

type stream struct{ cancel context.CancelFunc }

// start adds a stream. It returns a context that stop cancels, and a function that must be
// called at the end of the stream. The context of a stream that starts during stop is
// already canceled.
func (s *streams) start(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	own := &stream{cancel}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping > 0 {
		cancel()
	}
	if s.running == nil {
		s.running = make(map[*stream]struct{})
	}
	s.running[own] = struct{}{}
	return ctx, func() { s.end(own) }
}

func (s *streams) end(own *stream) {
	own.cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, own)
	if len(s.running) == 0 && s.ended != nil {
		close(s.ended)
		s.ended = nil
	}
}

// stop cancels the streams and waits until all have ended, for at most stopTimeout.
func (s *streams) stop() {
	late := time.NewTimer(stopTimeout)
	defer late.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopping++
	defer func() { s.stopping-- }()
	for own := range s.running {
		own.cancel()
	}
	for expired := false; len(s.running) > 0 && !expired; {
		if s.ended == nil {
			s.ended = make(chan struct{})
		}
		ended := s.ended
		s.mu.Unlock()
		select {
		case <-ended:
		case <-late.C:
			expired = true
		}
		s.mu.Lock()
	}
}
