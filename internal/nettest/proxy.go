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

// Proxy hands connections on to a target. Its methods may be called at any time
// from any goroutine.
type Proxy struct {
	target   string
	listener net.Listener
	life     context.Context //nolint:containedctx // the life of the proxy, which Close ends: no call's
	end      context.CancelFunc
	running  sync.WaitGroup

	delay    atomic.Int64
	accepted atomic.Int64
	turns    atomic.Int64

	mu    sync.Mutex
	open  map[*connection]bool
	gate  chan struct{} // closed while the line lets things pass
	ended bool
}

// New starts a proxy on a free port of 127.0.0.1 for a TCP address. Delay is
// that of each direction: a round trip takes twice as long.
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

// Start is [New] for a test, which ends the proxy.
func Start(tb testing.TB, target string, delay time.Duration) *Proxy {
	tb.Helper()
	p, err := New(target, delay)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(p.Close)
	return p
}

// Addr is where the proxy listens, as host:port.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// SetDelay changes the delay of what is sent from now on.
func (p *Proxy) SetDelay(oneWay time.Duration) { p.delay.Store(int64(oneWay)) }

// Connections is how many connections were ever accepted.
func (p *Proxy) Connections() int { return int(p.accepted.Load()) }

// Turns is how often, in all connections, a client sent something after it had
// received something: the round trips that it waited for. Where the delay is
// shorter than the client takes to send what belongs together, it is too high.
func (p *Proxy) Turns() int { return int(p.turns.Load()) }

// Open is how many connections there are now.
func (p *Proxy) Open() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.open)
}

// Stall stops everything that is under way, and what comes, without a sign to
// either end: connections are accepted and hear nothing.
func (p *Proxy) Stall() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.gate:
		p.gate = make(chan struct{})
	default:
	}
}

// Resume ends a [Proxy.Stall]; what was held back arrives.
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

// Cut resets all connections that there are, at both ends. New ones are served.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		c.reset()
	}
}

// Close ends the proxy and resets what is open.
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
			continue // the client gave up before it was accepted
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
