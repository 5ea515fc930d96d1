package nettest

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Proxy forwards connections to a target. Its methods are safe for concurrent
// use.
type Proxy struct {
	target   string
	listener net.Listener
	life     context.Context //nolint:containedctx // until Close, not of a call
	end      context.CancelFunc
	running  sync.WaitGroup

	delay    atomic.Int64
	accepted atomic.Int64
	turns    atomic.Int64

	mu    sync.Mutex
	open  map[*connection]bool
	gate  chan struct{} // closed unless stalled
	ended bool
}

// New starts a proxy for a TCP address on a free port of 127.0.0.1. Delay is
// the delay of each direction, half of a round trip. New returns an error if it cannot listen.
func New(target string, delay time.Duration) (*Proxy, error) {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{target: target, listener: listener, open: map[*connection]bool{}, gate: make(chan struct{})}
	close(p.gate)
	p.life, p.end = context.WithCancel(context.Background())
	p.delay.Store(int64(delay))
	p.running.Go(p.serve)
	return p, nil
}

// Start is like [New], but closes the proxy at the end of the test. It ends the test if New
// returns an error.
func Start(tb testing.TB, target string, delay time.Duration) *Proxy {
	tb.Helper()
	p, err := New(target, delay)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(p.Close)
	return p
}

// Addr returns the address of the proxy as host:port.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// SetDelay changes the delay of data that is sent from now on.
func (p *Proxy) SetDelay(oneWay time.Duration) { p.delay.Store(int64(oneWay)) }

// Connections returns the number of connections accepted so far.
func (p *Proxy) Connections() int { return int(p.accepted.Load()) }

// Turns returns the number of times that clients sent data after receiving data, in all
// connections: the round trips that they waited for. It is too high if a client
// takes longer than the delay to send one message.
func (p *Proxy) Turns() int { return int(p.turns.Load()) }

// Trips sets the delay to half of trip, calls do, and returns the number of round trips that
// do waits for: its duration divided by trip, rounded down. Work that takes as long as a
// round trip counts as one, so measure again with a longer trip on a busy host. The error is
// the error of do.
func (p *Proxy) Trips(trip time.Duration, do func() error) (int, error) {
	p.SetDelay(trip / 2)
	start := time.Now()
	err := do()
	return int(time.Since(start) / trip), err
}

// Open returns the number of open connections.
func (p *Proxy) Open() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.open)
}

// Stall stops forwarding. Connections stay open, and new ones are accepted, but
// no data arrives.
func (p *Proxy) Stall() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.gate:
		p.gate = make(chan struct{})
	default:
	}
}

// Resume resumes forwarding after [Proxy.Stall]. Data that was sent in the meantime arrives.
func (p *Proxy) Resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.gate:
	default:
		close(p.gate)
	}
}

func (p *Proxy) passing() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.gate
}

// Cut resets all open connections on both sides. The proxy accepts new ones.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		c.reset()
	}
}

// Close ends the proxy, resets its open connections, and waits for its goroutines.
func (p *Proxy) Close() {
	p.end()
	_ = p.listener.Close() // ends serve
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	p.Cut()
	p.running.Wait()
}

func (p *Proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue // for example, the client closed the connection before Accept
		}
		p.accepted.Add(1)
		c := newConnection(p, client)
		p.mu.Lock()
		ended := p.ended
		if !ended {
			p.open[c] = true
		}
		p.mu.Unlock()
		if ended {
			c.reset()
			continue
		}
		p.running.Go(func() {
			c.run()
			p.mu.Lock()
			delete(p.open, c)
			p.mu.Unlock()
		})
	}
}

// Serve listens on an address until the test ends, and returns the address of the listener.
// For each connection, it calls answer in a new goroutine and then closes the connection. The
// end of the test waits for all calls of answer. If Serve cannot listen, it ends the test.
func Serve(tb testing.TB, network, address string, answer func(net.Conn)) net.Addr {
	tb.Helper()
	listener, err := (&net.ListenConfig{}).Listen(tb.Context(), network, address)
	if err != nil {
		tb.Fatal(err)
	}
	var done sync.WaitGroup
	done.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			done.Go(func() {
				defer func() { _ = conn.Close() }() // the test checks what the client receives
				answer(conn)
			})
		}
	})
	tb.Cleanup(func() {
		_ = listener.Close() // ends Accept
		done.Wait()
	})
	return listener.Addr()
}
