package sftpfs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotefs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftp"
)

// Sessions provides SFTP sessions.
type Sessions interface {
	// SFTP returns a live session, which may be shared. The caller must release it.
	SFTP(ctx context.Context) (Session, error)
}

// Session is an SFTP session in use.
type Session struct {
	*sftp.Client
	Release func()
}

var (
	_ remotefs.Backend = (*Files)(nil)
	_ remotefs.Finder  = (*Files)(nil)
	_ remotefs.Names   = (*Files)(nil)
)

// Files implements [remotefs.Backend] for one host. [New] makes one.
type Files struct {
	sessions Sessions
	owners   sync.Map // names of users and groups by [userID] and [groupID]
}

// New returns the file system of a host whose servers pass [Check].
func New(sessions Sessions) *Files { return &Files{sessions: sessions} }

// required are the extensions that operations need.
var required = []sftp.Extension{sftp.ExtPosixRename, sftp.ExtHardlink, sftp.ExtFsync, sftp.ExtLsetstat, sftp.ExtStatVFS}

// Check returns an error that matches [errors.ErrUnsupported] if a server lacks a required
// extension.
func Check(c *sftp.Client) error {
	var missing []string
	for _, ext := range required {
		if !c.Has(ext) {
			missing = append(missing, string(ext))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("the SFTP server does not offer %s: %w", strings.Join(missing, ", "), errors.ErrUnsupported)
}

// attempts limits how often an idempotent operation is tried.
const attempts = 3

// once calls do with a session.
func (f *Files) once(ctx context.Context, do func(c *sftp.Client) error) error {
	s, err := f.sessions.SFTP(ctx)
	if err != nil {
		return err
	}
	defer s.Release()
	return do(s.Client)
}

// again calls do with a session, and again with another one if that breaks.
func (f *Files) again(ctx context.Context, do func(c *sftp.Client) error) error {
	return retried(ctx, func() error { return f.once(ctx, do) })
}

func retried(ctx context.Context, do func() error) error {
	var err error
	for range attempts {
		if err = do(); !broke(ctx, err) {
			break
		}
	}
	return err
}

// broke reports whether err is due to a broken session and there is time to use another
// one.
func broke(ctx context.Context, err error) bool {
	return errors.Is(err, sftp.ErrClosed) && ctx.Err() == nil
}

// afterwards limits undoing after a context has ended.
const afterwards = 3 * time.Second
