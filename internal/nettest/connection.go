package nettest

import (
	"context"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// inFlight is the maximum number of bytes in transit in each direction: enough for 1 GB/s
// at a delay of 10 ms. As the number of chunks is limited, short reads reach the limit
// with fewer bytes.
const inFlight = 10 << 20

// connection is a connection of a client, together with the corresponding connection to the target.
type connection struct {
	proxy    *Proxy
	accepted time.Time
	client   net.Conn
	done     chan struct{} // closed by end
	once     sync.Once
	answered atomic.Bool // the client has received data since it last sent data

	mu     sync.Mutex
	server net.Conn // nil until dialled
}

func newConnection(p *Proxy, client net.Conn) *connection {
	return &connection{proxy: p, accepted: time.Now(), client: client, done: make(chan struct{})}
}

// reset resets both connections if they are open.
func (c *connection) reset() { c.end(abort) }

// end closes both connections with closeConn. Only the first call has an effect.
func (c *connection) end(closeConn func(net.Conn)) {
	c.once.Do(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		close(c.done)
		closeConn(c.client)
		if c.server != nil {
			closeConn(c.server)
		}
	})
}

func abort(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // Close then sends RST
	}
	_ = conn.Close() // data is lost intentionally
}

// run connects to the target after the delay of the handshake, copies data in both
// directions until both have ended or one has failed, and closes both connections.
func (c *connection) run() {
	delay := time.Duration(c.proxy.delay.Load())
	up, down := newLine(c), newLine(c)
	var carry sync.WaitGroup
	// The client cannot send data before its handshake is complete.
	carry.Go(func() { up.fill(c.client, c.accepted.Add(2*delay), c.turn) })
	// The server accepts the connection with the third packet of the handshake.
	if c.wait(c.accepted.Add(3 * delay)) {
		if server := c.dial(); server != nil {
			carry.Go(func() { up.drain(server, nil) })
			carry.Go(func() { down.fill(server, time.Time{}, nil) })
			carry.Go(func() { down.drain(c.client, func() { c.answered.Store(true) }) })
		}
	}
	carry.Wait()
	c.end(func(conn net.Conn) { _ = conn.Close() }) // both directions have ended
}

// turn counts a turn if the client has received data since it last sent data.
func (c *connection) turn() {
	if c.answered.Swap(false) {
		c.proxy.turns.Add(1)
	}
}

// dial returns a connection to the target. It returns nil if the connection of the client
// has ended. If it cannot connect, it resets that connection and returns nil.
func (c *connection) dial() net.Conn {
	var dialer net.Dialer
	ctx, cancel := context.WithCancel(c.proxy.life)
	defer cancel()
	server, err := dialer.DialContext(ctx, "tcp", c.proxy.target)
	if err != nil {
		c.reset()
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.done:
		abort(server)
		return nil
	default:
		c.server = server
		return server
	}
}

// wait waits until due and then until the proxy is not stalled. It returns false
// if the connection ended first.
func (c *connection) wait(due time.Time) bool {
	if left := time.Until(due); left > 0 {
		select {
		case <-time.After(left):
		case <-c.done:
			return false
		}
	}
	select {
	case <-c.proxy.passing():
		return true
	case <-c.done:
		return false
	}
}

// line is one direction of a connection, with the data in transit.
type line struct {
	conn   *connection
	chunks chan chunk
}

// chunk is the data of one read. Nil data is the end of the stream.
type chunk struct {
	data []byte
	due  time.Time
}

const chunkSize = 32 << 10

func newLine(c *connection) *line {
	return &line{conn: c, chunks: make(chan chunk, inFlight/chunkSize)}
}

// fill reads data from one side until the stream or the connection ends. Data that arrives
// before notBefore is delayed as if it arrived at that time. If sent is not nil, it is called
// for each read that returns data.
func (l *line) fill(from net.Conn, notBefore time.Time, sent func()) {
	buffer := make([]byte, chunkSize)
	for {
		n, err := from.Read(buffer)
		now := time.Now()
		if now.Before(notBefore) {
			now = notBefore
		}
		due := now.Add(time.Duration(l.conn.proxy.delay.Load()))
		if n > 0 {
			if sent != nil {
				sent()
			}
			if !l.push(chunk{append([]byte(nil), buffer[:n]...), due}) {
				return
			}
		}
		switch {
		case err == nil:
		case err == io.EOF: //nolint:errorlint // a net.Conn returns EOF itself
			l.push(chunk{nil, due})
			return
		default: // one side was reset: reset both
			l.conn.reset()
			return
		}
	}
}

func (l *line) push(c chunk) bool {
	select {
	case l.chunks <- c:
		return true
	case <-l.conn.done:
		return false
	}
}

// drain writes data to the other side when it is due. If delivered is not nil, it is called
// before each write.
func (l *line) drain(to net.Conn, delivered func()) {
	for {
		var next chunk
		select {
		case next = <-l.chunks:
		case <-l.conn.done:
			return
		}
		if !l.conn.wait(next.due) {
			return
		}
		if next.data == nil {
			if tcp, ok := to.(*net.TCPConn); ok {
				_ = tcp.CloseWrite() // fails if the other side is closed
			}
			return
		}
		if delivered != nil {
			delivered() // before the client can answer
		}
		if _, err := to.Write(next.data); err != nil {
			l.conn.reset()
			return
		}
	}
}
