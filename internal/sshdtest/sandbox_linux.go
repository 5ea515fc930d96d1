package sshdtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// hide gives a process that is the first of its namespaces a /run and logs of
// its own. What it mounts is in no other namespace, and gone when it ends.
const hide = `set -e
mount --make-rprivate /
mount -t proc proc /proc
mount -t tmpfs -o mode=755 tmpfs /run
mount -t tmpfs -o mode=755 tmpfs /var/log
mkdir -m 755 /run/sshd
`

// replace puts the files of the folder $1 in the place of those of /etc, and
// becomes what comes next.
const replace = `for f in passwd shadow group; do mount --bind "$1/$f" "/etc/$f"; done
if [ -e /etc/sudoers ]; then mount --bind "$1/sudoers" /etc/sudoers; fi
mount --bind "$1/pam.d" /etc/pam.d
shift
exec "$@"
`

func namespaces() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID,
		Pdeathsig:  syscall.SIGKILL, // a test that crashes takes its servers along
	}
}

// sandbox says why there can be none, once for all servers.
var sandbox = sync.OnceValue(func() error {
	if os.Geteuid() != 0 {
		return errors.New("only root can give it a namespace of its own")
	}
	cmd := exec.Command("/bin/sh", "-c", hide)
	cmd.SysProcAttr = namespaces()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("this system gives no namespaces: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return nil
})

// command is sshd with its arguments, in a sandbox if there can be one.
func (s *Server) command(args ...string) *exec.Cmd {
	if !s.sandboxed {
		cmd := exec.Command(args[0], args[1:]...) //nolint:noctx // Kill ends it
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		return cmd
	}
	script := []string{"-c", hide + replace, "sshdtest", filepath.Join(s.dir, "etc")}
	cmd := exec.Command("/bin/sh", append(script, args...)...) //nolint:noctx // Kill ends it
	cmd.SysProcAttr = namespaces()
	return cmd
}
