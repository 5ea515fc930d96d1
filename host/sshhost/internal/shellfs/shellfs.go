package shellfs

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/lease"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shellrpc"
)

// Names is what the host calls users and groups.
type Names interface {
	// UserName is a user's name, or the number in decimal where it has none.
	// An error says that it could not be asked.
	UserName(ctx context.Context, uid uint32) (string, error)
	GroupName(ctx context.Context, gid uint32) (string, error)
}

var _ host.Files = (*Files)(nil)

// Files is the file system of one host. [New] makes one.
type Files struct {
	host    string
	starter remote.Starter
	batches *shellrpc.Coalescer
	names   Names
	single  func() bool

	locks  lease.Locks
	active active
}

// New returns the file system of the host that errors name hostName. asker is what
// batches asks, and has not been asked anything yet. single reports whether the host
// allows a single session: contents of up to [singleContent] bytes then need no
// session of their own, so that one file can be copied to another.
func New(hostName string, starter remote.Starter, asker shellrpc.Asker, batches *shellrpc.Coalescer, names Names, single func() bool) *Files {
	asker.Define(functions)
	return &Files{host: hostName, starter: starter, batches: batches, names: names, single: single}
}

// singleContent is how large a content may be that is held in memory where the host
// allows a single session.
const singleContent = 16 << 20

// decided is how long a step may still take once its context has ended.
const decided = 30 * time.Second

// change asks a question that has an effect: a block that is empty if all went
// well, and others.
func (f *Files) change(ctx context.Context, text shell.Text, blocks int) (shellrpc.Answer, error) {
	ctx, cancel := remote.WithGracePeriod(ctx, decided)
	defer cancel()
	answers, err := f.batches.Ask(ctx, shellrpc.Question{Text: text, Blocks: blocks, Effect: true})
	if err != nil {
		return nil, err
	}
	return answers[0], nil
}

// Words by which functions say what went wrong, and how many blocks those print that
// say what then is at the path.
const (
	saidType = "type"
	saidLost = "lost"

	outcome = 5
)

var (
	errLost  = errors.New("the temporary file was removed by another before it took its name")
	errOther = errors.New("for a moment something of another kind was there, which is not replaced")
)

// ended reads an answer that ends with what is at path now.
func ended(path string, answer shellrpc.Answer, want host.FileType, attrs host.Attributes) (shellrpc.Info, error) {
	info, err := shellrpc.InfoAnswer(path, answer)
	switch said := answer[0]; said {
	case "":
		return info, err
	case saidType:
		return info, cmp.Or(err, wantType(info, want), errOther)
	default:
		return info, why(said, attrs)
	}
}

// settle is ended with names of who owns it.
func (f *Files) settle(ctx context.Context, path string, answer shellrpc.Answer, want host.FileType, attrs host.Attributes) (host.FileInfo, error) {
	info, err := ended(path, answer, want, attrs)
	if err != nil {
		return host.FileInfo{}, err
	}
	ctx, cancel := remote.WithGracePeriod(ctx, decided) // it is done: say so
	defer cancel()
	return f.info(ctx, path, info)
}

// why is the error in what a function said.
func why(said string, attrs host.Attributes) error {
	if said == saidLost {
		return errLost
	}
	rest, owner := strings.CutPrefix(said, "owner ")
	err := shell.Reason(strings.TrimPrefix(rest, "failed:"))
	if owner {
		return fmt.Errorf("set owner (user %s, group %s): %w", number(attrs.UID, "unchanged"), number(attrs.GID, "unchanged"), err)
	}
	return err
}

// Lstat implements [host.Files].
func (f *Files) Lstat(ctx context.Context, path string) (host.FileInfo, error) {
	info, err := host.FileInfo{}, begin(ctx, path)
	if err == nil {
		info, err = f.lstat(ctx, path)
	}
	if err != nil {
		return host.FileInfo{}, f.fail("stat", path, err)
	}
	return info, nil
}

func (f *Files) lstat(ctx context.Context, path string) (host.FileInfo, error) {
	info, err := f.batches.Stat(ctx, path)
	if err != nil {
		return host.FileInfo{}, err
	}
	return f.info(ctx, path, info)
}

// Digest is as [host.Digester] has it. A host without a command for it is
// [errors.ErrUnsupported].
func (f *Files) Digest(ctx context.Context, path string) (host.FileInfo, [sha256.Size]byte, error) {
	var sum [sha256.Size]byte
	var info host.FileInfo
	err := begin(ctx, path)
	if err == nil {
		var is shellrpc.Info
		if is, sum, err = f.batches.Digest(ctx, path); err == nil {
			info, err = f.info(ctx, path, is)
		}
	}
	if err != nil {
		return host.FileInfo{}, sum, f.fail("read", path, err)
	}
	return info, sum, nil
}

// info converts what the host said. Names of owners are looked up here and nowhere
// else.
func (f *Files) info(ctx context.Context, path string, is shellrpc.Info) (host.FileInfo, error) {
	owner, err := f.names.UserName(ctx, is.UID)
	if err != nil {
		return host.FileInfo{}, err
	}
	group, err := f.names.GroupName(ctx, is.GID)
	if err != nil {
		return host.FileInfo{}, err
	}
	return host.FileInfo{
		Path: path, Type: is.Type, Mode: is.Mode, Size: is.Size, UID: is.UID, GID: is.GID, Owner: owner, Group: group,
		ModTime: is.ModTime, LinkTarget: is.LinkTarget, Device: is.Device,
	}, nil
}

// fail is the error of an operation: nil for nil, else a [*host.Error], unless it
// is one already.
func (f *Files) fail(op, path string, err error) error {
	if err == nil {
		return nil
	}
	if _, done := err.(*host.Error); done { //nolint:errorlint // one deeper down is a caller's
		return err
	}
	return &host.Error{Op: op, Host: f.host, Path: path, Err: err}
}

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

// wantType is nil for what is of the type.
func wantType(is shellrpc.Info, want host.FileType) error {
	if is.Type != want {
		return &host.TypeError{Want: want, Got: is.Type}
	}
	return nil
}
