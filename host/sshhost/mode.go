package sshhost

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotefs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftpfs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
)

// mode is the set of services that a host offers. There are three modes: SFTP and a shell; a
// shell only, because there is no SFTP server with the extensions of OpenSSH or because the server
// allows too few sessions for both; SFTP only. The mode is detected by the first operation
// that calls currentMode, and again after [Host.Reset]. Digest, RemoveOnly and ReadTree try Perl or
// the shell first and do not detect the mode if that succeeds.
type mode struct {
	files *remotefs.Files
	sftp  bool // whether files are accessed over SFTP, and through Perl where possible
	shell bool
}

// sessionsWithPerl is the number of sessions that are kept open if a host has Perl. At least one more
// must be left for commands.
const sessionsWithPerl = 3

// currentMode returns the mode of the host and detects it on first use.
func (h *Host) currentMode(ctx context.Context) (*mode, error) {
	select {
	case h.detecting <- struct{}{}:
		defer func() { <-h.detecting }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if m := h.mode.Load(); m != nil {
		return m, nil
	}
	m, err := h.detectMode(ctx)
	if err == nil {
		h.mode.Store(m)
	}
	return m, err
}

// detectMode tries the shell and SFTP at the same time. If the server is known to allow a single
// session, SFTP is tried only if there is no shell.
func (h *Host) detectMode(ctx context.Context) (*mode, error) {
	var shellErr, sftpErr error
	trySFTP := func() { sftpErr = h.sftpSession.try(ctx) }
	if h.conn.MaxSessions() == 1 {
		if shellErr = h.accounts.Load(ctx); isMissing(shellErr) {
			trySFTP()
		}
	} else {
		var both sync.WaitGroup
		both.Go(trySFTP)
		both.Go(func() { shellErr = h.accounts.Load(ctx) })
		both.Wait()
	}
	switch {
	case shellErr == nil && sftpErr == nil && h.conn.MaxSessions() > 1:
		return &mode{files: remotefs.New(h.name, h.perl, h.accounts, h.batches, h.trustedDirs), sftp: true, shell: true}, nil
	case shellErr == nil && (sftpErr == nil || isMissing(sftpErr)):
		return &mode{files: h.byShell, shell: true}, nil
	case isMissing(shellErr) && sftpErr == nil:
		files := sftpfs.New(h.sftpSession)
		if _, err := files.UserName(ctx, 0); errors.Is(err, errors.ErrUnsupported) {
			return nil, &noAccessError{err, shellErr}
		}
		return &mode{files: remotefs.New(h.name, files, files, files, h.trustedDirs), sftp: true}, nil
	case isMissing(shellErr) && isMissing(sftpErr):
		return nil, &noAccessError{sftpErr, shellErr}
	case shellErr != nil && !isMissing(shellErr):
		return nil, shellErr
	}
	return nil, sftpErr
}

// withoutShell reports whether err means that the host has no shell.
func (h *Host) withoutShell(ctx context.Context, err error) bool {
	if !isMissing(err) {
		return false
	}
	m, err := h.currentMode(ctx)
	return err == nil && !m.shell
}

// isMissing reports whether err means that the host has no shell or no SFTP server.
func isMissing(err error) bool {
	_, noShell := errors.AsType[*shell.EndedError](err)
	_, noSFTP := errors.AsType[*noSFTPError](err)
	return noShell || noSFTP
}

// noAccessError is the error of a host that has no shell and whose SFTP server is missing or
// lacks an extension that is required without a shell. It matches [errors.ErrUnsupported].
type noAccessError struct{ sftp, shell error }

func (e *noAccessError) Error() string {
	return fmt.Sprintf("files cannot be managed on this host: %v; %v", e.sftp, e.shell)
}

// Is matches [errors.ErrUnsupported].
func (e *noAccessError) Is(target error) bool { return target == errors.ErrUnsupported }
