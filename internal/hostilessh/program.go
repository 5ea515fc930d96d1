//go:build unix

package hostilessh

import (
	"encoding/binary"
	"errors"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"
)

// channel serves one request for a channel.
func (c *connection) channel(conn *ssh.ServerConn, request ssh.NewChannel) {
	if c.fault.Stage == Channel && c.channels.Add(1) > int64(c.fault.After) {
		c.respond(conn, conn.Close, func() error { return request.Reject(ssh.ResourceShortage, "refused") }, func() error {
			_, _, err := conn.SendRequest("question@example.com", false, make([]byte, 1<<10))
			return err
		})
		return
	}
	channel, requests, err := request.Accept()
	if err != nil {
		return // the connection has ended
	}
	defer func() { _ = channel.Close() }() // ends the programs; the client may have closed the channel
	for r := range requests {
		line, starts := "", r.Type == "subsystem"
		if r.Type == "exec" {
			var body struct{ Line string }
			starts = ssh.Unmarshal(r.Payload, &body) == nil
			line = body.Line
		}
		switch {
		case !starts:
			_ = r.Reply(false, nil) // the connection may have ended
		case c.fault.Stage == Program && c.starts.Add(1) > int64(c.fault.After):
			c.respond(conn, channel.Close, func() error { return r.Reply(false, nil) }, func() error {
				_ = r.Reply(true, nil) // sends a reply each time; the connection may have ended
				_, err := channel.SendRequest("exit-status", false, []byte{0, 0, 0, 0})
				return err
			})
		default:
			_ = r.Reply(true, nil) // the connection may have ended
			c.active.Go(func() {
				c.run(channel, c.server.command(line))
				_ = channel.Close() // the client may have closed it
			})
		}
	}
}

// respond misbehaves instead of granting a request. Errors mean that the connection
// or the channel has ended.
func (c *connection) respond(conn *ssh.ServerConn, cut, refuse, more func() error) {
	switch c.fault.Kind {
	case Cut:
		_ = cut()
	case Refuse, Flip, Names:
		_ = refuse()
	case Silent:
	case Garbage, Huge:
		c.misbehave()
		_ = conn.Close()
	case Endless:
		for more() == nil { //nolint:revive // until the client closes the connection or the channel
		}
	}
}

// run runs a program until the program or the channel ends.
func (c *connection) run(channel ssh.Channel, cmd *exec.Cmd) {
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return // the client gets no exit status
	}
	out, errOut := &output{c: c, channel: channel, to: channel}, &output{c: c, channel: channel, to: channel.Stderr()}
	faulty := out
	if c.fault.Stderr {
		faulty = errOut
	}
	faulty.fault = c.fault.Stage == Output
	cmd.Stdout, cmd.Stderr = out, errOut
	cmd.WaitDelay = 10 * time.Second // for background processes of the program
	if err := cmd.Start(); err != nil {
		return // the client gets no exit status
	}
	c.active.Go(func() {
		_, _ = io.Copy(stdin, channel) // ends with the input, the channel or the program
		_ = stdin.Close()              // it may be closed
		if c.gone(channel) {
			_ = cmd.Process.Kill() // it may have ended
		}
	})
	err = cmd.Wait()
	status := uint32(cmd.ProcessState.ExitCode()) //nolint:gosec // between 0 and 255, or -1 for a signal
	if err == nil {
		status = 0
	}
	_, _ = channel.SendRequest("exit-status", false, binary.BigEndian.AppendUint32(nil, status)) // the channel may be closed
}

// gone reports whether the client closed the channel, and not only the input of the program.
func (c *connection) gone(channel ssh.Channel) bool {
	_, err := channel.SendRequest("alive@example.com", false, nil)
	return err != nil
}

var errFault = errors.New("the output has a fault")

// escaping replaces the names of files with names of the same length, so that the lengths in the protocols
// stay valid.
var escaping = strings.NewReplacer("file", "../x", "large", "/etc/")

// output is an output of a program that may have the fault.
type output struct {
	c       *connection
	channel ssh.Channel
	to      io.Writer
	fault   bool

	once sync.Once
}

// Write implements [io.Writer].
func (o *output) Write(p []byte) (int, error) {
	if !o.fault {
		return o.to.Write(p)
	}
	correct := o.c.fault.After - int(o.c.written.Add(int64(len(p)))) + len(p)
	if o.c.server.broken.Load() {
		correct = 0
	}
	if correct >= len(p) {
		return o.to.Write(p)
	}
	correct = max(correct, 0)
	if _, err := o.to.Write(p[:correct]); err != nil {
		return 0, err
	}
	rest := p[correct:]
	r := o.c.random()
	switch o.c.fault.Kind {
	case Cut:
		_ = o.channel.Close() // the client may have closed it
		return 0, errFault
	case Silent:
		return len(p), nil
	case Refuse:
		return 0, errFault
	case Garbage:
		o.once.Do(func() { _, _ = o.to.Write(noise(r, 1+r.IntN(32<<10))) }) // the next write returns the error
	case Huge:
		o.once.Do(func() { _, _ = o.to.Write([]byte(largest)) }) // the next write returns the error
	case Endless:
		b := noise(r, 32<<10)
		for {
			if _, err := o.to.Write(b); err != nil {
				return 0, err
			}
		}
	case Flip:
		flipped := append([]byte(nil), rest...)
		for i := range flipped {
			if r.IntN(50) == 0 {
				flipped[i] ^= 1 << r.IntN(8)
			}
		}
		rest = flipped
	case Names:
		rest = []byte(escaping.Replace(string(rest)))
	}
	if _, err := o.to.Write(rest); err != nil {
		return 0, err
	}
	return len(p), nil
}
