package account

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// script prints facts about the host, all users and groups, and details of one account or of all. $1 is the
// database, passwd or group; $2 a name or ID, or empty for all; $3 is not empty to print
// password hashes instead of placeholders; $4 is a path whose existence is reported.
//
// Each line starts with its kind, so that the parser cannot confuse lines of different kinds. The script reads
// the files directly, because getent adds accounts from elsewhere, such as LDAP. It calls
// getent only for an account that the files do not have. If several users have the same
// UID, it selects the first.
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
    elif [ -z "$found" ] && { [ "$key" = "$n" ] || [ "$key" = "$u" ]; }; then
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

// query selects the accounts whose details the script prints.
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

// read runs the script and parses its output.
func read(ctx context.Context, h host.Host, q query) (*hostAccounts, error) {
	hash := ""
	if q.hash {
		hash = "yes"
	}
	output, err := remotecmd.Shell(script, q.database, q.key, hash, q.path).Run(ctx, h)
	if failed, is := errors.AsType[*remotecmd.Failed](err); is {
		failed.Stdout = "" // may contain hashes
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the accounts of host %s: %w", h.Name(), err)
	}
	s, err := parse(output.Stdout)
	if err != nil {
		return nil, fmt.Errorf("cannot read the accounts of host %s: %w", h.Name(), err)
	}
	s.host = h
	return s, nil
}

var errIncomplete = errors.New("the output is incomplete")

// hostAccounts has the users and groups of a host, details of the accounts that a query selects,
// and facts about the host.
type hostAccounts struct {
	host host.Host
	ran  bool // whether a tool that changes the accounts has, or may have, run

	root   bool            // whether the provider runs as root on the host
	tools  map[string]bool // tools that the host has
	limits map[string]int64

	users  []userEntry
	groups []groupEntry
	shadow map[string]shadowEntry
	homes  map[string]string // UID of the owner of each existing home directory, by user; the UID is empty if all accounts are read

	shadowed         bool // whether /etc/shadow was read
	shadowUnreadable bool // whether /etc/shadow exists but cannot be read
	pathExists       bool // whether the path of the query exists

	nss       string // entry from getent for a queried account that the files do not have
	nssGroups []groupEntry
}

type userEntry struct {
	name, password       string
	uid, gid             int64
	comment, home, shell string
}

type groupEntry struct {
	name    string
	gid     int64
	members []string // sorted
}

// shadowEntry has the fields of a line of /etc/shadow that the provider uses.
type shadowEntry struct {
	password string // password field, or a placeholder
	expires  string // expiry date in the format of the file
}

// parse parses the output of the script. It skips lines that a login shell
// may have printed before that output.
func parse(text string) (*hostAccounts, error) {
	s := &hostAccounts{tools: map[string]bool{}, limits: map[string]int64{}, shadow: map[string]shadowEntry{}, homes: map[string]string{}}
	started, ended := false, false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case !started:
			started = line == "begin"
		case ended:
			return nil, fmt.Errorf("unexpected output after the end of the account data")
		case line == "end":
			ended = true
		default:
			s.line(line)
		}
	}
	if !ended {
		return nil, errIncomplete
	}
	return s, nil
}

// line parses a line. It skips lines of the account files that are not accounts, such as
// those with the plus sign of NIS.
func (s *hostAccounts) line(line string) {
	about, rest, _ := strings.Cut(line, ":")
	switch about {
	case "me":
		s.root = rest == "0"
	case "tool":
		s.tools[rest] = true
	case "limit":
		name, value, _ := strings.Cut(rest, ":")
		if n, err := parseID(value); err == nil {
			s.limits[name] = n
		}
	case "passwd":
		if u, ok := parseUser(rest); ok {
			s.users = append(s.users, u)
		}
	case "group":
		if g, ok := parseGroup(rest); ok {
			s.addGroup(g)
		}
	case "nssgroup":
		if g, ok := parseGroup(rest); ok {
			s.nssGroups = append(s.nssGroups, g)
		}
	case "shadow":
		if f := strings.Split(rest, ":"); len(f) == 3 {
			s.shadow[f[0]] = shadowEntry{password: f[1], expires: f[2]}
		}
	case "home":
		name, owner, _ := strings.Cut(rest, ":")
		s.homes[name] = owner
	case "nss":
		s.nss = rest
	case "shadowed":
		s.shadowed = true
	case "hidden":
		s.shadowUnreadable = true
	case "there":
		s.pathExists = true
	}
}

// addGroup adds a group, or the members in a further line of the group that was added last: the shadow suite writes
// several lines for a group with more members than MAX_MEMBERS_PER_GROUP of login.defs.
func (s *hostAccounts) addGroup(g groupEntry) {
	if last := len(s.groups) - 1; last >= 0 && s.groups[last].name == g.name && s.groups[last].gid == g.gid {
		s.groups[last].members = slices.Compact(sorted(slices.Concat(s.groups[last].members, g.members)))
		return
	}
	s.groups = append(s.groups, g)
}

func parseUser(line string) (userEntry, bool) {
	f := strings.Split(line, ":")
	if len(f) < 7 || f[0] == "" || strings.ContainsAny(f[0][:1], "+-#") {
		return userEntry{}, false
	}
	uid, errUID := parseID(f[2])
	gid, errGID := parseID(f[3])
	return userEntry{
		name: f[0], password: f[1], uid: uid, gid: gid, comment: address.Shown(f[4]), home: address.Shown(f[5]), shell: address.Shown(strings.Join(f[6:], ":")),
	}, errUID == nil && errGID == nil
}

func parseGroup(line string) (groupEntry, bool) {
	f := strings.Split(line, ":")
	if len(f) < 4 || f[0] == "" || strings.ContainsAny(f[0][:1], "+-#") {
		return groupEntry{}, false
	}
	gid, err := parseID(f[2])
	g := groupEntry{name: f[0], gid: gid}
	for name := range strings.SplitSeq(f[3], ",") {
		if name = strings.TrimSpace(name); name != "" {
			g.members = append(g.members, address.Shown(name))
		}
	}
	slices.Sort(g.members)
	g.members = slices.Compact(g.members)
	return g, err == nil
}

// parseID parses a UID or GID, and returns an error unless text is a number from 0 to maxID.
func parseID(text string) (int64, error) {
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil || n > maxID {
		return 0, fmt.Errorf("a UID or GID must be from 0 to %d", int64(maxID))
	}
	return int64(n), nil
}
