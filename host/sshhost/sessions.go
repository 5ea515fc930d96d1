package sshhost

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/conn"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftp"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftpfs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell/elevate"
)

var _ sftpfs.Sessions = (*sftpSession)(nil)

// sftpSession keeps the SFTP session of a host, which all operations share.
type sftpSession struct {
	conn  *conn.Conn
	serve func(context.Context) (remote.Process, error) // starts an SFTP server
}

// noSFTPError means that the host has no usable SFTP server.
type noSFTPError struct{ cause error }

func (e *noSFTPError) Error() string { return "no usable SFTP server: " + e.cause.Error() }
func (e *noSFTPError) Unwrap() error { return e.cause }

// SFTP implements [sftpfs.Sessions].
func (t *sftpSession) SFTP(ctx context.Context) (sftpfs.Session, error) {
	c, release, err := holdWithRetries(ctx, func() (*sftp.Client, func(), error) {
		return conn.Hold(ctx, t.conn, conn.Kind{Name: "sftp", Pinned: true}, t.open)
	})
	return sftpfs.Session{Client: c, Release: release}, err
}

// try opens the session, unless it is open.
func (t *sftpSession) try(ctx context.Context) error {
	s, err := t.SFTP(ctx)
	if err == nil {
		s.Release()
	}
	return err
}

// holdWithRetries calls hold to open a session. If the connection breaks before the session is open, it repeats
// hold up to two times, each time on a new connection. It does not repeat hold if the server did not reply.
func holdWithRetries[S any](ctx context.Context, hold func() (S, func(), error)) (S, func(), error) {
	for try := 1; ; try++ {
		session, release, err := hold()
		if err == nil || try == 3 || ctx.Err() != nil || !errors.Is(err, conn.ErrLost) || errors.Is(err, conn.ErrNoReply) {
			return session, release, err
		}
	}
}

func (t *sftpSession) open(ctx context.Context) (*sftp.Client, error) {
	p, err := t.serve(ctx)
	if errors.Is(err, conn.ErrNoSubsystem) || errors.Is(err, elevate.ErrNoServer) {
		return nil, &noSFTPError{err}
	}
	if err != nil {
		return nil, err
	}
	s := &stream{Process: p}
	go func() { _, _ = io.Copy(&s.stderr, p.Stderr()) }() // ends with the process
	received := t.conn.ExpectReply("to the start of SFTP")
	c, err := sftp.New(ctx, s)
	received()
	switch {
	case err == nil:
		if err := sftpfs.Check(c); err != nil {
			_ = c.Close() // no operation was started
			return nil, &noSFTPError{err}
		}
		return c, nil
	case ctx.Err() != nil, errors.Is(err, conn.ErrLost):
		return nil, err
	}
	return nil, &noSFTPError{s.explain(err)}
}

// stream is a process as an io.ReadWriteCloser.
type stream struct {
	remote.Process
	stderr host.Tail
}

// Read implements [io.Reader]. If the output ends without an exit status, it returns the
// error of the connection.
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.Stdout().Read(p)
	if err == io.EOF { //nolint:errorlint // the stream returns io.EOF unwrapped
		if _, unknown := s.Wait(); unknown != nil {
			err = unknown
		}
	}
	return n, err
}

func (s *stream) Write(p []byte) (int, error) { return s.Stdin().Write(p) }

// explain adds to err the standard error of a program that is not an SFTP server.
func (s *stream) explain(err error) error {
	if stderr := s.stderr.String(); stderr != "" {
		return fmt.Errorf("%w; stderr: %s", err, stderr)
	}
	return err
}

// keeper keeps the process of a Helper or of perlfs open as one of the connection's sessions.
// The process may be closed between two calls; the next call then starts another process.
type keeper[S conn.Session] struct {
	conn *conn.Conn
	kind string
}

// Hold implements the Keeper of shellrpc and of perlfs.
func (k keeper[S]) Hold(ctx context.Context, open func(context.Context) (S, error)) (S, func(), error) {
	return holdWithRetries(ctx, func() (S, func(), error) { return conn.Hold(ctx, k.conn, conn.Kind{Name: k.kind}, open) })
}
