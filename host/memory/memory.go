package memory

import (
	"cmp"
	"context"
	"errors"
	pathpkg "path"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
)

var _ host.Host = (*Host)(nil)

// Config configures a host. The zero value configures a host named "memory" whose only user is
// root.
type Config struct {
	Name string

	// UID and GIDs are those of the user that the host runs operations as. New files get
	// the first of GIDs, or group 0 if GIDs is empty, unless their directory is setgid.
	UID  uint32
	GIDs []uint32

	// Users and Groups are the user and group databases. A user named root is added if no
	// user has the UID 0, and a group named root if no group has the GID 0.
	Users  []host.User
	Groups []host.Group

	// Run runs commands. If it is nil, commands fail with an error that matches [errors.ErrUnsupported].
	Run func(ctx context.Context, command host.Command) (host.Result, error)

	// Fault, if set, is called before each operation, after the check of its context and path, with the
	// name of the method and the path: the name or ID for a lookup, the directory for a command, the first
	// path for an operation with two. If Fault returns an error, the operation fails with that cause.
	Fault func(op, path string) error

	// Lost, if set, is called after each operation on files, and each command, that succeeded. If Lost
	// returns an error, the operation fails with that cause although it had its effect. Lost must not
	// use the host, which may be locked.
	Lost func(op, path string) error
}

// Host is a host in memory.
type Host struct {
	config Config
	mu     sync.Mutex
	root   *node
}

// New returns a host with an empty root directory, in which the configured user may create
// files.
func New(config Config) *Host {
	config.Name = cmp.Or(config.Name, "memory")
	if len(config.GIDs) == 0 {
		config.GIDs = []uint32{0}
	}
	if !slices.ContainsFunc(config.Users, func(u host.User) bool { return u.UID == 0 }) {
		config.Users = append(slices.Clip(config.Users), host.User{Name: "root", Home: "/root"})
	}
	if !slices.ContainsFunc(config.Groups, func(g host.Group) bool { return g.GID == 0 }) {
		config.Groups = append(slices.Clip(config.Groups), host.Group{Name: "root"})
	}
	h := &Host{config: config}
	h.root = h.newNode(host.TypeDirectory, nil)
	h.root.mode, h.root.parent = 0o755, h.root
	return h
}

// Name implements [host.Host].
func (h *Host) Name() string { return h.config.Name }

// operation checks the arguments and the links above path, calls f under the lock, and returns the first
// error, which may be that of [Config.Fault] or [Config.Lost], as a [*host.Error].
func (h *Host) operation(ctx context.Context, op, verb, path string, check func(string) error, f func() error) error {
	err := h.begin(ctx, op, path, check)
	if err == nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		if err = h.checkLinks(ctx, path); err == nil {
			err = h.end(op, path, f())
		}
	}
	return h.fail(verb, path, err)
}

// checkLinks returns an error if root must not follow a link above path. The lock must be held.
func (h *Host) checkLinks(ctx context.Context, path string) error {
	if h.config.UID != 0 || host.FollowsLinks(ctx) {
		return nil
	}
	_, err := host.ResolveDir(pathpkg.Dir(path), func(paths []string) (found []host.FileInfo, err error) {
		for _, p := range paths {
			at, err := h.existing(p)
			if err != nil {
				break
			}
			found = append(found, h.info(p, at.node))
		}
		return found, nil //nolint:nilerr // the operation returns the error, too
	})
	if unsafe, ok := errors.AsType[*host.UnsafeLinkError](err); ok {
		unsafe.Owner = h.info("", &node{uid: unsafe.UID}).Owner
	}
	return err
}

func (h *Host) begin(ctx context.Context, op, path string, check func(string) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if check != nil {
		if err := check(path); err != nil {
			return err
		}
	}
	if h.config.Fault != nil {
		return h.config.Fault(op, path)
	}
	return nil
}

// end returns err, the error of an operation, or else the error of [Config.Lost].
func (h *Host) end(op, path string, err error) error {
	if err == nil && h.config.Lost != nil {
		return h.config.Lost(op, path)
	}
	return err
}

func (h *Host) fail(verb, path string, err error) error {
	if err == nil {
		return nil
	}
	return &host.Error{Op: verb, Host: h.config.Name, Path: path, Err: err}
}

// LookupUser implements [host.Accounts].
func (h *Host) LookupUser(ctx context.Context, nameOrID string) (host.User, error) {
	if err := h.begin(ctx, "LookupUser", nameOrID, nil); err != nil {
		return host.User{}, h.fail("look up user", "", err)
	}
	for _, u := range h.config.Users {
		if u.Name == nameOrID && nameOrID != "" {
			return u, nil
		}
	}
	uid, numeric := host.ParseID(nameOrID)
	if !numeric {
		return host.User{}, h.fail("look up user "+strconv.Quote(nameOrID), "", host.ErrUnknownUser)
	}
	for _, u := range h.config.Users {
		if u.UID == uid {
			return u, nil
		}
	}
	return host.User{UID: uid}, nil
}

// LookupGroup implements [host.Accounts].
func (h *Host) LookupGroup(ctx context.Context, nameOrID string) (host.Group, error) {
	if err := h.begin(ctx, "LookupGroup", nameOrID, nil); err != nil {
		return host.Group{}, h.fail("look up group", "", err)
	}
	for _, g := range h.config.Groups {
		if g.Name == nameOrID && nameOrID != "" {
			return g, nil
		}
	}
	gid, numeric := host.ParseID(nameOrID)
	if !numeric {
		return host.Group{}, h.fail("look up group "+strconv.Quote(nameOrID), "", host.ErrUnknownGroup)
	}
	for _, g := range h.config.Groups {
		if g.GID == gid {
			return g, nil
		}
	}
	return host.Group{GID: gid}, nil
}

// Run implements [host.Runner].
func (h *Host) Run(ctx context.Context, command host.Command) (host.Result, error) {
	err := h.begin(ctx, "Run", command.Dir, nil)
	if err == nil && h.config.Run == nil {
		err = errors.ErrUnsupported
	}
	if err != nil {
		return host.Result{}, h.fail("run", command.Dir, &host.NotStartedError{Err: err})
	}
	result, err := h.config.Run(ctx, command)
	return result, h.fail("run", command.Dir, h.end("Run", command.Dir, err))
}

func now() time.Time { return time.Now().Round(0) } // without the monotonic clock reading, which == compares
