package shellrpc

import "github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"

// serving is what makes a shell a helper: it finds out which of the tools that
// go by many names the host has, and then runs each text that it reads.
//
//	px_b      ends a block: what was printed before belongs to it
//	px_said   prints what a tool said on stderr, which px_e has, as a block
//	px_stat   is gnu, busybox or bsd; px_hash a command; px_names where accounts are
//	px_since  when it began, by the host's clock, where that tells nanoseconds
//
// Its own output is descriptor 3, so that a tool's stderr can be kept in a variable
// while its output goes on: px_e=$(tool 2>&1 >&3).
var serving = shell.Join(shell.Fixed(`LC_ALL=C
export LC_ALL
exec 3>&1
px_begin() { px_k=$1; }
px_b() { printf '%s+' "$px_k"; }
px_said() { printf '%s' "$px_e"; px_b; }
px_end() { printf '%s.' "$px_k"; }
px_serve() {
  while IFS= read -r px_n; do
    px_t=
    while [ "$px_n" -gt 0 ]; do
      IFS= read -r px_l || exit 0
      px_t=$px_t$px_l$px_nl
      px_n=$((px_n-1))
    done
    eval "$px_t" </dev/null
  done
}`), OpenFile, findTools, statFunctions, digestFunctions, accountFunctions, tempFunctions, removeFunctions, shell.Fixed(`px_ready
px_serve`))

// findStat tries what a stat prints, as its options say nothing: -f is a format
// to some and a file system to others.
var findStat = shell.Fixed(`px_stat=
case $(stat -c %.9Y / 2>/dev/null) in
  *[!0-9.]*) px_stat=busybox ;;
  *.?????????) px_stat=gnu ;;
esac
if [ "$px_stat" != gnu ]; then
  case $(stat -c %f / 2>/dev/null) in
    4???) px_stat=busybox ;;
    *) case $(stat -f %Xp / 2>/dev/null) in
      4???) px_stat=bsd ;;
      *) px_stat= ;;
    esac ;;
  esac
fi`)

// Tools finds out which tools the host has: it sets px_stat and px_hash, as [Helper]s
// know them. Other shells can be told.
var Tools = shell.Join(findStat, findTools)

// findTools finds the others by their names.
var findTools = shell.Fixed(`px_has() { command -v "$1" >/dev/null 2>&1; }
px_hash=
if px_has sha256sum; then px_hash=sha256sum
elif px_has shasum; then px_hash='shasum -a 256'
elif px_has sha256; then px_hash='sha256 -r'
elif px_has openssl; then px_hash='openssl dgst -sha256 -r'
fi
px_names=
if px_has getent; then px_names=getent
elif px_has dscacheutil; then px_names=dscacheutil
fi
px_since=
if [ "$px_stat" = gnu ]; then
  px_since=$(date +%s.%N 2>/dev/null)
  case $px_since in *[!0-9.]*) px_since= ;; esac
fi`)

// statFunctions tell what is at paths. px_info prints four blocks:
//
//  1. a line for each path at which something is: mode (hexadecimal, with the type),
//     size, user, group, the times of the last change of content and of the rest,
//     device, inode, the times again for people, the path
//  2. what was said of the others, or "unsupported"
//  3. those of the paths that are links, each ended by NUL
//  4. their targets in the same order, each ended by NUL
//
// A path with a newline must be the only one. A link's target is read together with
// a dot behind it, as the shell takes newlines from the end; of one link alone that
// also holds for hosts whose readlink knows no NUL.
var statFunctions = shell.Fixed(`px_info() {
  px_show "$@"
  for px_p do
    shift
    if [ -L "$px_p" ]; then set -- "$@" "$px_p"; fi
  done
  if [ $# -gt 0 ]; then printf '%s\0' "$@"; fi
  px_b
  if [ $# -gt 1 ] && [ "$px_stat" = gnu ]; then
    readlink -z -- "$@"
  else
    for px_p do
      px_x=$(readlink "$px_p" && echo .) && printf '%s\0' "${px_x%??}"
    done
  fi
  px_b
}
px_show() {
  case $px_stat in
    gnu) px_e=$(stat -c '%f %s %u %g %.9Y %.9Z %d %i [] %n' "$@" 2>&1 >&3) ;;
    busybox) px_e=$(stat -c '%f %s %u %g %Y %Z %d %i [%y][%z] %n' "$@" 2>&1 >&3) ;;
    bsd) px_e=$(stat -f '%Xp %z %u %g %Fm %Fc %d %i [] %N' "$@" 2>&1 >&3) ;;
    *) px_e=unsupported ;;
  esac
  px_b
  px_said
}`)

// OpenFile defines px_opened, which prints what px_info does of the file that is open
// as its input, in one line and without a path: see [OpenedInfo]. Helpers know it;
// other shells can be told.
var OpenFile = shell.Join(findStat, shell.Fixed(`px_opened() {
  case $px_stat in
    gnu) stat -c '%f %s %u %g %.9Y %.9Z %d %i []' - ;;
    busybox) stat -L -c '%f %s %u %g %Y %Z %d %i [%y][%z]' /proc/self/fd/0 ;;
    bsd) stat -f '%Xp %z %u %g %Fm %Fc %d %i []' ;;
  esac
}`))

// infoBlocks is how many blocks px_info prints.
const infoBlocks = 4

// digestFunctions tell the SHA-256 of regular files. px_digests prints what px_info
// does before and after they are read, and three blocks between, so that a file that
// changed meanwhile shows. px_digest leaves the first four blocks empty where the
// last, which either prints at the end, says since when the helper is there: what has
// not changed since then has not changed meanwhile. The three are:
//
//  1. the files that were read, each ended by NUL
//  2. a line for each that could be: the digest, and the path, which may be escaped
//  3. what was said of the others, or "unsupported"
//
// Only what is a regular file is opened, as opening can have effects, or no end.
var digestFunctions = shell.Fixed(`px_digest() {
  if [ -z "$px_since" ]; then
    px_digests "$@"
    return
  fi
  px_b; px_b; px_b; px_b
  px_sums "$@"
  px_info "$@"
  printf '%s' "$px_since"
  px_b
}
px_digests() {
  px_info "$@"
  px_sums "$@"
  px_info "$@"
  px_b
}
px_sums() {
  for px_p do
    shift
    if [ -f "$px_p" ] && [ ! -L "$px_p" ]; then set -- "$@" "$px_p"; fi
  done
  if [ $# = 0 ]; then
    px_b; px_b; px_b
    return
  fi
  printf '%s\0' "$@"
  px_b
  if [ -z "$px_hash" ]; then px_e=unsupported; else px_e=$($px_hash "$@" 2>&1 >&3); fi
  px_b
  px_said
}`)

const digestBlocks = infoBlocks + 3 + infoBlocks + 1

// accountFunctions print entries of the databases of users and groups: px_files all
// that are in files, as two blocks; px_entries those of names and numbers in one
// database, as one block.
var accountFunctions = shell.Fixed(`px_files() {
  cat /etc/passwd 2>/dev/null
  px_b
  cat /etc/group 2>/dev/null
  px_b
}
px_entries() {
  case $px_names in
    getent) getent "$@" 2>/dev/null ;;
    dscacheutil) px_directory "$@" 2>/dev/null ;;
    *) cat "/etc/$1" 2>/dev/null ;;
  esac
  px_b
}
px_directory() {
  case $1 in
    passwd) px_q=user px_i=uid ;;
    *) px_q=group px_i=gid ;;
  esac
  shift
  for px_p do
    dscacheutil -q "$px_q" -a name "$px_p"
    case $px_p in
      *[!0-9]*) ;;
      *) dscacheutil -q "$px_q" -a "$px_i" "$px_p" ;;
    esac
  done
}`)

// tempFunctions find temporary files. px_temps takes a directory with a slash at its end
// and prints why it cannot be searched, and then the paths, each ended by NUL.
var tempFunctions = shell.Fixed(`px_temps() {
  px_e=
  if [ ! -r "$1." ] || [ ! -x "$1." ]; then px_e=$(ls "$1." 2>&1 >/dev/null); fi
  px_said
  for px_p in "$1".*.posix-tmp*; do
    if [ -e "$px_p" ] || [ -L "$px_p" ]; then printf '%s\0' "$px_p"; fi
  done
  px_b
}
`)

// removeFunctions remove files. px_drop takes a kind, f for regular files and l for
// links, and paths; it prints those that were of that kind and are gone, each ended
// by NUL. The others are as they were.
var removeFunctions = shell.Fixed(`px_drop() {
  px_y=$1
  shift
  for px_p do
    shift
    if [ -L "$px_p" ]; then px_x=l; elif [ -f "$px_p" ]; then px_x=f; else px_x=; fi
    if [ "$px_x" = "$px_y" ]; then set -- "$@" "$px_p"; fi
  done
  if [ $# -gt 0 ] && ! rm -f -- "$@" 2>/dev/null; then
    for px_p do
      shift
      if [ ! -e "$px_p" ] && [ ! -L "$px_p" ]; then set -- "$@" "$px_p"; fi
    done
  fi
  if [ $# -gt 0 ]; then printf '%s\0' "$@"; fi
  px_b
}`)
