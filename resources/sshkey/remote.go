package sshkey

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// as runs a script as a user: whoever owns a home directory may put links into it at
// any moment, and they must not lead to where only root may go.
const as = `user=$1 uid=$2 script=$3
shift 3
cd /
if [ "$(id -u)" = "$uid" ]; then exec /bin/sh -c "$script" sh "$@"; fi
if command -v runuser >/dev/null 2>&1; then exec runuser -u "$user" -- /bin/sh -c "$script" sh "$@"; fi
exec su -s /bin/sh "$user" -c "$script" sh "$@"`

// What the scripts end with, beside 0.
const (
	exitHome      = 70 // there is no home directory
	exitDirectory = 71 // .ssh is no directory
	exitFile      = 72 // authorized_keys is no file
	exitOvertaken = 75
	exitLocked    = 76
	exitFailed    = 77
)

// common looks at what is there: from the home directory on, with no links.
const common = `umask 077
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

// reading says whether there is a file, whether others may write to it or its directory,
// and what it has.
const reading = common + `[ -d "$1/.ssh" ] || { echo none; exit 0; }
if [ ! -e authorized_keys ]; then echo none; exit 0; fi
if [ -n "$(find . authorized_keys -prune \( -perm -020 -o -perm -002 \))" ]; then echo open; else echo closed; fi
cat authorized_keys || exit 77`

// writing puts a file in the place of the one with this digest, or of none, under a
// lock on the directory, which ends with the script.
const writing = common + `digest() {
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
exit 0`

// account is a user whose file it is.
type account struct {
	host.User
	h host.Host
}

var (
	errNobody = errors.New("no such user")
	errNoHome = errors.New("no home directory")
)

// gone says whether the keys of a user are gone with all that they were in.
func gone(err error) bool { return errors.Is(err, errNobody) || errors.Is(err, errNoHome) }

func lookup(ctx context.Context, h host.Host, name string) (account, error) {
	user, err := h.LookupUser(ctx, name)
	if errors.Is(err, host.ErrUnknownUser) || err == nil && user.Name == "" {
		return account{}, diag.AttributeErrorf("user", "host %s has no user %q (%w). Create it first, for example with posix_user", h.Name(), name, errNobody)
	}
	return account{user, h}, err
}

// run runs one of the scripts for the user.
func (a account) run(ctx context.Context, script, stdin string, args ...string) (string, error) {
	call := remotecmd.Shell(as, append([]string{a.Name, fmt.Sprint(a.UID), script, a.Home}, args...)...)
	call.Stdin = stdin
	result, err := call.Run(ctx, a.h)
	said, began := strings.CutPrefix(result.Stdout, "posix-authorized-key\n")
	failed, is := errors.AsType[*remotecmd.Failed](err)
	switch {
	case !is:
		return said, err
	case !began:
		return "", fmt.Errorf("nothing can be done as the user %s on host %s: the provider has to work there as root, as with sudo = {} for the host in the provider's configuration, or as that user: %w", a.Name, a.h.Name(), err)
	}
	switch failed.ExitCode {
	case exitHome:
		return "", fmt.Errorf("the user %s of host %s has %w: %s does not exist. Create it first, for example with posix_directory", a.Name, a.h.Name(), errNoHome, host.QuotePath(a.Home))
	case exitDirectory:
		return "", fmt.Errorf("%s/.ssh on host %s is a link or a file, and a directory is needed. It is neither followed nor replaced: move it away and apply again", a.Home, a.h.Name())
	case exitFile:
		return "", fmt.Errorf("%s on host %s is a link or no file. It is neither followed nor replaced: move it away and apply again", a.file(), a.h.Name())
	case exitOvertaken:
		return "", errOvertaken
	case exitLocked:
		return "", fmt.Errorf("%s on host %s was not changed: another program has held a lock on its directory for a minute. End it, and apply again", a.file(), a.h.Name())
	case exitFailed:
		return "", fmt.Errorf("%s on host %s: %s. It is the user %s who has to be able to read and write it, and its directory: where they belong to somebody else, run chown -R %[4]s: %s/.ssh",
			a.file(), a.h.Name(), strings.TrimSpace(failed.Stderr), a.Name, a.Home)
	}
	return "", err
}

func (a account) file() string { return a.Home + "/.ssh/authorized_keys" }

// content is what a file has.
type content struct {
	text   []byte // nil where there is no file
	closed bool   // nobody else may write to it or its directory
}

func (a account) read(ctx context.Context) (content, error) {
	said, err := a.run(ctx, reading, "")
	if err != nil {
		return content{}, err
	}
	which, text, _ := strings.Cut(said, "\n")
	switch which {
	case "none":
		return content{}, nil
	case "open", "closed":
		return content{[]byte(text), which == "closed"}, nil
	}
	return content{}, fmt.Errorf("%s on host %s: it was not said whether it is there", a.file(), a.h.Name())
}

var errOvertaken = errors.New("the file was changed by somebody else at the same time")

// attempts is how often a change is made anew because others were faster.
const attempts = 60

// edit changes the file. A change may be made several times.
func (a account) edit(ctx context.Context, scope *lifecycle.Scope, change func(was content) ([]byte, error)) error {
	return scope.WithLock(ctx, "authorized keys of "+a.Name, func() (err error) {
		for attempt := range attempts {
			if err = a.once(ctx, change); !errors.Is(err, errOvertaken) {
				return err
			}
			select {
			case <-time.After(rand.N(time.Duration(attempt+1) * 5 * time.Millisecond)): //nolint:gosec // no secret
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		return fmt.Errorf("%s on host %s: %w", a.file(), a.h.Name(), err)
	})
}

func (a account) once(ctx context.Context, change func(was content) ([]byte, error)) error {
	was, err := a.read(ctx)
	if err != nil {
		return err
	}
	is, err := change(was)
	if err != nil || is == nil || was.closed && string(is) == string(was.text) {
		return err
	}
	before := "none"
	if was.text != nil {
		before = digest(was.text)
	}
	_, err = a.run(ctx, writing, string(is), before, digest(is))
	return err
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
