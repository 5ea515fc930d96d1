package sftpfs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/lease"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftp"
)

// Sessions is where SFTP sessions come from.
type Sessions interface {
	// SFTP is a live session, until it is released. It may be shared.
	SFTP(ctx context.Context) (Session, error)
}

// Session is an SFTP session that is being used.
type Session struct {
	*sftp.Client
	Release func()
}

// Names is what the host calls users and groups.
type Names interface {
	// UserName is a user's name, or the number in decimal where it has none.
	// An error says that it could not be asked.
	UserName(ctx context.Context, uid uint32) (string, error)
	GroupName(ctx context.Context, gid uint32) (string, error)
}

// Finder is a faster way to find temporary files than to list a directory.
type Finder interface {
	// Leftovers are the names in a directory that have the form of
	// [host.TempPath]; a directory that is not there or not readable has none.
	Leftovers(ctx context.Context, dir string) ([]string, error)
}

var _ host.Files = (*Files)(nil)

// Files is the file system of one host. [New] makes one.
type Files struct {
	host     string
	sessions Sessions
	names    Names
	finder   Finder

	locks  lease.Locks
	left   leftovers
	skew   atomic.Pointer[time.Duration] // by which the host's clock is ahead; nil until it is known
	owners sync.Map                      // names of users and groups by [userID] and [groupID]
}

// New returns the file system of the host that errors name hostName. The sessions
// must be of servers that pass [Check]. finder may be nil: directories are then
// listed.
func New(hostName string, sessions Sessions, names Names, finder Finder) *Files {
	return &Files{
		host: hostName, sessions: sessions, names: names, finder: finder,
		left: leftovers{dirs: map[string]*directory{}, active: map[string]bool{}},
	}
}

// required are the extensions of OpenSSH that operations cannot do without.
var required = []sftp.Extension{sftp.ExtPosixRename, sftp.ExtHardlink, sftp.ExtFsync, sftp.ExtLsetstat, sftp.ExtStatVFS}

// Check returns an error that matches [errors.ErrUnsupported] if a server does not
// offer what Files needs.
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

// attempts is how often something is done that can be done again.
const attempts = 3

// once does something with a session.
func (f *Files) once(ctx context.Context, do func(c *sftp.Client) error) error {
	s, err := f.sessions.SFTP(ctx)
	if err != nil {
		return err
	}
	defer s.Release()
	return do(s.Client)
}

// again does something that can be done again where a session breaks.
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

// broke says whether err is a broken session, and there is time for another.
func broke(ctx context.Context, err error) bool {
	return errors.Is(err, sftp.ErrClosed) && ctx.Err() == nil
}

// afterwards is how long undoing may take once a context has ended.
const afterwards = 3 * time.Second

// begin is what every operation on a path starts with.
func begin(ctx context.Context, path string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return host.CheckPath(path)
}

// beginMake is begin for an operation that makes something at path.
func beginMake(ctx context.Context, path string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return host.CheckTarget(path)
}
