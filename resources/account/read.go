package account

import (
	"context"
	"errors"
	"fmt"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// script prints one account, or all. $1 is the database, passwd or group; $2 a name or ID,
// or empty for all; $3 is not empty to print password hashes instead of placeholders; $4
// is a path whose existence is reported.
//
// Each line begins with its kind, so that no content is taken for another. The files are
// read directly, since getent adds the accounts of other services; it is only used for an
// account that the files do not have.
const script = `database=$1 key=$2 hashes=$3 path=$4
echo begin
echo "me:$(id -u)"
for tool in useradd usermod userdel groupadd groupmod groupdel gpasswd adduser chpasswd; do
  if command -v "$tool" >/dev/null 2>&1; then echo "tool:$tool"; fi
done
case $(readlink -f "$(command -v adduser)" 2>/dev/null) in *busybox*) echo tool:busybox ;; esac
awk '{ print "passwd:" $0 }' /etc/passwd || exit 9
awk '{ print "group:" $0 }' /etc/group || exit 9
awk '$1 ~ /^[UG]ID_M(IN|AX)$/ { print "limit:" $1 ":" $2 }' /etc/login.defs 2>/dev/null
found= name=$key
if [ "$database" = passwd ]; then
  while IFS=: read -r n x u g c h s || [ -n "$n" ]; do
    if [ -z "$key" ]; then
      if [ -d "$h" ]; then echo "home:$n:"; fi
    elif [ -z "$found" ] && { [ "$key" = "$n" ] || [ "$key" = "$u" ]; }; then # several users may have a number
      found=yes name=$n
      if [ -d "$h" ]; then echo "home:$n:$(stat -c %u "$h" 2>/dev/null)"; fi
    fi
  done </etc/passwd
  if [ -r /etc/shadow ]; then
    echo shadowed
    NAME=$name HASHES=$hashes awk -F: '
      ENVIRON["NAME"] == "" || ENVIRON["NAME"] == $1 "" {
        match($2, /^!*/); lock = substr($2, 1, RLENGTH); rest = substr($2, RLENGTH + 1)
        if (ENVIRON["HASHES"] == "" && rest != "" && rest != "*") rest = "x"
        print "shadow:" $1 ":" lock rest ":" $8
      }' /etc/shadow
  elif [ -e /etc/shadow ]; then
    echo hidden
  fi
else
  while IFS=: read -r n x g m || [ -n "$n" ]; do
    if [ "$key" = "$n" ] || [ "$key" = "$g" ]; then found=yes; fi
  done </etc/group
fi
if [ -n "$key" ] && [ -z "$found" ]; then
  getent "$database" "$key" 2>/dev/null | awk '{ print "nss:" $0 }'
  if [ "$database" = passwd ]; then
    for g in $(id -G "$key" 2>/dev/null); do getent group "$g" 2>/dev/null; done | awk '{ print "nssgroup:" $0 }'
  fi
fi
if [ -n "$path" ] && [ -e "$path" ]; then echo there; fi
echo end
`

// query selects what the script prints.
type query struct {
	database string // passwd or group
	key      string // name or ID; empty for all
	hash     bool   // whether to read password hashes
	path     string // path whose existence is reported
}

const (
	passwd = "passwd"
	group  = "group"
)

// read runs the script.
func read(ctx context.Context, h host.Host, q query) (*hostAccounts, error) {
	hash := ""
	if q.hash {
		hash = "yes"
	}
	output, err := remotecmd.Shell(script, q.database, q.key, hash, q.path).Run(ctx, h)
	if failed, is := errors.AsType[*remotecmd.Failed](err); is {
		failed.Stdout = "" // it may contain hashes
	}
	if err != nil {
		return nil, fmt.Errorf("read the accounts of host %s: %w", h.Name(), err)
	}
	s, err := parse(output.Stdout)
	if err != nil {
		return nil, fmt.Errorf("read the accounts of host %s: %w", h.Name(), err)
	}
	s.host = h
	return s, nil
}

var errIncomplete = errors.New("the output is incomplete")
