package sshkey

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/hostpath"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/resources/textedit"
)

// asUserScript runs a script as a user. The owner of a home directory can create symbolic
// links in it at any time; as root, the script would follow them to files of other users.
// The su of BSD systems has no option for a command, and runs the login shell of root, which may be csh.
const asUserScript = `user=$1 uid=$2 script=$3
shift 3
cd /
if [ "$(id -u)" = "$uid" ]; then exec /bin/sh -c "$script" sh "$@"; fi
if command -v runuser >/dev/null 2>&1; then exec runuser -u "$user" -- /bin/sh -c "$script" sh "$@"; fi
if [ "$(uname -s)" = Linux ]; then exec su -s /bin/sh "$user" -c "$script" sh "$@"; fi
export script home="$1" before="$2" after="$3"
exec su -fm "$user" -c 'exec /bin/sh -c '\''set -- "$home" "$before" "$after"; eval "$script"'\'`

// Exit codes of the scripts.
const (
	exitHome      = 70 // no home directory
	exitDirectory = 71 // .ssh is not a directory
	exitFile      = 72 // authorized_keys is not a file
	exitConflict  = 75
	exitLocked    = 76
	exitFailed    = 77
)

// preamble is the start of readScript and writeScript. It checks the types of the paths, and accepts no
// symbolic links below the home directory.
const preamble = `umask 077
echo posix-authorized-key
[ -d "$1/." ] || exit 70
if [ -h "$1/.ssh" ]; then exit 71; fi
if [ -e "$1/.ssh" ]; then
	[ -d "$1/.ssh" ] || exit 71
	cd "$1/.ssh" || exit 77
	if [ -h authorized_keys ]; then exit 72; fi
	[ ! -e authorized_keys ] || [ -f authorized_keys ] || exit 72
fi
`

// readScript prints whether the file exists, whether other users can write to it or its
// directory, and its content.
const readScript = preamble + `[ -d "$1/.ssh" ] || { echo none; exit 0; }
if [ ! -e authorized_keys ]; then echo none; exit 0; fi
if [ -n "$(find . authorized_keys -prune \( -perm -020 -o -perm -002 \))" ]; then echo open; else echo closed; fi
cat authorized_keys || exit 77`

// writeScript replaces the file if it has the digest $2, or creates it if $2 is none. If the
// host has flock and the file system supports locks, the script holds a lock on the directory until it ends.
const writeScript = preamble + `digest() {
	if command -v sha256sum >/dev/null 2>&1; then sha256sum; elif command -v sha256 >/dev/null 2>&1; then sha256; else shasum -a 256; fi | cut -d " " -f 1
}
if [ ! -d "$1/.ssh" ]; then
	mkdir -m 700 "$1/.ssh" || [ -d "$1/.ssh" ] || exit 77
	cd "$1/.ssh" || exit 77
fi
if command -v flock >/dev/null 2>&1; then
	exec 9<.
	waited=0
	while :; do
		flock -n 9
		[ $? -eq 1 ] || break
		[ $waited -lt 1200 ] || exit 76
		if sleep 0.05; then waited=$((waited + 1)); else sleep 1; waited=$((waited + 20)); fi
	done 2>/dev/null
fi
is=none
if [ -e authorized_keys ]; then is=$(digest <authorized_keys) || exit 77; fi
[ "$is" = "$2" ] || exit 75
chmod go-w . || exit 77
find ./.authorized_keys.posix-new-* -prune -type f -mmin +10 -exec rm -f {} + 2>/dev/null
new=.authorized_keys.posix-new-$$
rm -f "$new"
trap 'rm -f "$new"' EXIT
trap 'exit 77' HUP INT TERM
cat >"$new" || exit 77
[ "$(digest <"$new")" = "$3" ] || exit 77
sync "$new" 2>/dev/null
mv -f "$new" authorized_keys || exit 77
sync . 2>/dev/null
exit 0`

// account is a user with a file of authorized keys.
type account struct {
	host.User
	h host.Host
}

var (
	errNoUser = errors.New("the user does not exist")
	errNoHome = errors.New("the home directory does not exist")
	errRunAs  = errors.New("cannot run commands as the user")
)

// homeMissing reports whether err is about a missing user or home directory: the user then has no keys.
func homeMissing(err error) bool { return errors.Is(err, errNoUser) || errors.Is(err, errNoHome) }

func lookup(ctx context.Context, h host.Host, name string) (account, error) {
	user, err := h.LookupUser(ctx, name)
	if errors.Is(err, host.ErrUnknownUser) || err == nil && user.Name == "" {
		return account{}, diag.AttributeErrorf("user", "cannot manage authorized keys of %q on host %s: %w. Create the user first, for example with posix_user", name, h.Name(), errNoUser)
	}
	return account{user, h}, err
}

// run runs one of the scripts as the user, and returns its output. The error wraps errRunAs if the
// script cannot run as the user, errNoHome if there is no home directory, or [textedit.ErrConflict] if the
// file changed since it was read.
func (a account) run(ctx context.Context, script, stdin string, args ...string) (string, error) {
	call := remotecmd.Shell(asUserScript, append([]string{a.Name, fmt.Sprint(a.UID), script, a.Home}, args...)...)
	call.Stdin = stdin
	result, err := call.Run(ctx, a.h)
	output, began := strings.CutPrefix(result.Stdout, "posix-authorized-key\n")
	failed, is := errors.AsType[*remotecmd.Failed](err)
	switch {
	case !is:
		return output, err
	case !began && host.RunsAsRoot(a.h):
		return "", fmt.Errorf("%w %s on host %s: %w", errRunAs, a.Name, a.h.Name(), err)
	case !began:
		return "", fmt.Errorf("%w %s on host %s: %w. The provider must run as root, for example with sudo = {} for the host in the provider's configuration, or as that user", errRunAs, a.Name, a.h.Name(), err)
	}
	switch failed.ExitCode {
	case exitHome:
		return "", fmt.Errorf("cannot manage authorized keys of %s on host %s: %w: %s. Create it first, for example with posix_directory", a.Name, a.h.Name(), errNoHome, host.QuotePath(a.Home))
	case exitDirectory:
		return "", a.wrongType(a.Home+"/.ssh", host.TypeDirectory)
	case exitFile:
		return "", a.wrongType(a.file(), host.TypeRegular)
	case exitConflict:
		return "", textedit.ErrConflict
	case exitLocked:
		return "", fmt.Errorf("%s on host %s was not changed: another program has held a lock on its directory for a minute. Find the program with fuser -v %s, end it, and apply again",
			a.file(), a.h.Name(), host.QuotePath(a.Home+"/.ssh"))
	case exitFailed:
		if errors.Is(err, syscall.ENOSPC) {
			return "", fmt.Errorf("cannot write %s on host %s: %s. The file system is full: free space or inodes and apply again",
				a.file(), a.h.Name(), strings.TrimSpace(failed.Stderr))
		}
		return "", fmt.Errorf("cannot read or write %s on host %s: %s. The user %s must be able to read and write the file and its directory. If these belong to another user, run chown -R %[4]s: %s/.ssh",
			a.file(), a.h.Name(), strings.TrimSpace(failed.Stderr), a.Name, a.Home)
	}
	return "", err
}

func (a account) wrongType(path string, want host.FileType) error {
	return &hostpath.WrongTypeError{Host: a.h.Name(), Path: path, Want: want, Remedy: "move it away and apply again"}
}

func (a account) file() string { return a.Home + "/.ssh/authorized_keys" }

// content is the content of an authorized_keys file, and whether it is protected.
type content struct {
	text      []byte // nil if the file does not exist
	protected bool   // no other user can write to the file or its directory
}

func (a account) read(ctx context.Context) (content, error) {
	output, err := a.run(ctx, readScript, "")
	if err != nil {
		return content{}, err
	}
	which, text, _ := strings.Cut(output, "\n")
	switch which {
	case "none":
		return content{}, nil
	case "open", "closed":
		return content{[]byte(text), which == "closed"}, nil
	}
	return content{}, fmt.Errorf("%s on host %s: unexpected output of the script that reads the file", a.file(), a.h.Name())
}

// edit replaces the content of the file with the result of change, or keeps it if the result is nil.
// It may call change several times.
func (a account) edit(ctx context.Context, scope *lifecycle.Scope, change func(was content) ([]byte, error)) error {
	err := scope.WithLock(ctx, "authorized keys of "+a.Name, func() error {
		return textedit.Retry(ctx, func() error { return a.tryChange(ctx, change) })
	})
	if errors.Is(err, textedit.ErrConflict) {
		return fmt.Errorf("%s on host %s: %w", a.file(), a.h.Name(), err)
	}
	return err
}

func (a account) tryChange(ctx context.Context, change func(was content) ([]byte, error)) error {
	was, err := a.read(ctx)
	if err != nil {
		return err
	}
	is, err := change(was)
	if err != nil || is == nil || was.protected && string(is) == string(was.text) {
		return err
	}
	before := "none"
	if was.text != nil {
		before = digest(was.text)
	}
	_, err = a.run(ctx, writeScript, string(is), before, digest(is))
	return err
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
