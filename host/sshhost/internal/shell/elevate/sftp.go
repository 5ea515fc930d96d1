package elevate

import (
	"context"
	"errors"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
)

// ErrNoServer means that a host has no SFTP server program.
var ErrNoServer = errors.New("the host has no sftp-server that a shell can start: install it (openssh-sftp-server, openssh-server or openssh)")

// serving replaces the shell with an SFTP server: the one in sshd's configuration, or one
// in the usual places. The server built into sshd cannot be started this way.
var serving = shell.Fixed(`px_c=
for px_f in /etc/ssh/sshd_config /etc/ssh/sshd_config.d/*.conf; do
  if [ -r "$px_f" ]; then
    while read -r px_k px_s px_v; do
      case $px_k in
        [Ss]ubsystem | [Ss]ub[Ss]ystem | SUBSYSTEM)
          if [ "$px_s" = sftp ] && [ -z "$px_c" ]; then px_c=$px_v; fi ;;
      esac
    done <"$px_f"
  fi
done
set -f
set -- $px_c
set +f
if [ $# -gt 0 ] && [ -x "$1" ] && [ ! -d "$1" ]; then
  px_ready found
  exec "$@"
fi
for px_c in /usr/lib/openssh /usr/libexec/openssh /usr/lib/ssh /usr/libexec /usr/lib /usr/lib/misc /usr/local/libexec /usr/pkg/libexec; do
  if [ -x "$px_c/sftp-server" ]; then
    px_ready found
    exec "$px_c/sftp-server"
  fi
done
if px_c=$(command -v sftp-server); then
  px_ready found
  exec "$px_c"
fi
px_ready none`)

// StartSFTP starts an SFTP server with the starter. The error matches [ErrNoServer] if the
// host has no server program.
func StartSFTP(ctx context.Context, starter remote.Starter) (remote.Process, error) {
	p, err := shell.Start(ctx, starter, serving)
	if err != nil {
		return nil, err
	}
	if p.Said() == "none" {
		_ = p.Close() // it has ended
		return nil, ErrNoServer
	}
	return p, nil
}
