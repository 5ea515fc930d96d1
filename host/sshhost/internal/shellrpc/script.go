package shellrpc

import "github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"

// helperScript turns a shell into a helper: it detects the tools of the host, and then runs
// each script that it reads.
//
//	px_b      ends a block of output
//	px_said   prints px_e, the stderr of a tool, as a block
//	px_stat   is gnu, busybox or bsd; px_hash is a command; px_names is the tool that looks up accounts; each is empty without a tool
//	px_since  is the start time of the helper by the host's clock; empty unless stat is gnu and date prints nanoseconds
//
// It prints to descriptor 3, so that the stderr of a tool can be stored in a variable while
// its stdout is passed on: px_e=$(tool 2>&1 >&3).
var helperScript = shell.Join(shell.Fixed(`LC_ALL=C
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

// findStat detects the kind of stat by its output: -f is followed by a format in BSD stat, and
// selects the status of file systems in the others.
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

// Tools detects the host's tools: it sets px_stat, px_hash, px_names and px_since, as in a [Helper].
// It can be used in other shells.
var Tools = shell.Join(findStat, findTools)

// findTools detects the other tools by their names, and sets px_since.
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

// statFunctions print the info of paths. px_info prints four blocks:
//
//  1. a line for each path that exists: mode (hexadecimal, with the type), size, UID,
//     GID, mtime, ctime, device, inode, the times as text (only with busybox; otherwise
//     empty), the path
//  2. error messages for the others, or "unsupported"
//  3. the paths that are links, each ended by NUL
//  4. their targets in the same order, each ended by NUL
//
// A path with a newline must be the only one. With GNU stat, several links are read by
// readlink -z. Otherwise each target is read with a dot appended, because a shell strips
// trailing newlines; this does not need readlink -z.
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

// OpenFile defines px_opened, which prints the info of the file that is open as its input,
// in one line and without a path: see [OpenedInfo]. It is part of every Helper and can be
// used in other shells.
var OpenFile = shell.Join(findStat, shell.Fixed(`px_opened() {
  case $px_stat in
    gnu) stat -c '%f %s %u %g %.9Y %.9Z %d %i []' - ;;
    busybox) stat -L -c '%f %s %u %g %Y %Z %d %i [%y][%z]' /proc/self/fd/0 ;;
    bsd) stat -f '%Xp %z %u %g %Fm %Fc %d %i []' ;;
  esac
}`))

// infoBlocks is the number of blocks that px_info prints.
const infoBlocks = 4

// digestFunctions print the SHA-256 of regular files. px_digests prints the blocks of px_info
// before and after the files are read, so that changes are detected, three blocks in between,
// and an empty block. If the start time of the helper is known, px_digest prints that as the
// last block, and leaves the first four blocks empty: a file that has not changed since the
// start did not change while it was read. Otherwise it calls px_digests. The three blocks are:
//
//  1. the paths of the regular files, each ended by NUL
//  2. a line for each that could be read: the digest, and the path, which may be escaped or end before a newline
//  3. error messages for the others, or "unsupported"
//
// Only regular files are opened, because opening others can have side effects or block.
//
// px_direct first prints the paths that have no symbolic link above them, as one block, each ended by
// NUL. Then it calls one of the two functions with them, or with / if there are none.
//
// A large file can take longer than [remote.ReplyTimeout]. Therefore px_sums reads the files in
// pieces of 64 MiB if one of them has at least 10 MB and the host has dd, and prints an empty line after each piece.
// A batch of smaller files is read within [remote.ReplyTimeout] even from slow disks. bash 3.2 does not
// parse a pattern of case without its opening parenthesis within $().
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
px_direct() {
  px_f=$1
  shift
  for px_p do
    shift
    px_d=${px_p%/*}
    while [ -n "$px_d" ] && [ ! -L "$px_d" ]; do px_d=${px_d%/*}; done
    if [ -z "$px_d" ]; then set -- "$@" "$px_p"; fi
  done
  if [ $# -gt 0 ]; then printf '%s\0' "$@"; else set -- /; fi
  px_b
  "$px_f" "$@"
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
  if [ -z "$px_hash" ]; then px_e=unsupported
  elif px_large "$@"; then px_e=$(for px_p do px_pieces "$px_p"; done 2>&1 >&3)
  else px_e=$($px_hash "$@" 2>&1 >&3)
  fi
  px_b
  px_said
}
px_large() {
  case $px_stat in
    bsd) px_x=$(stat -f %z "$@" 2>/dev/null) ;;
    *) px_x=$(stat -c %s "$@" 2>/dev/null) ;;
  esac
  case $px_x in
    *[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]*) px_has dd ;;
    *) return 1 ;;
  esac
}
px_pieces() {
  if ! (: <"$1") 2>/dev/null; then
    cat "$1" >/dev/null
    return
  fi
  px_x=$({
    while :; do
      px_q=$(dd bs=1048576 count=64 2>&1 >&4) || { printf '%s\n' "${px_q%%"$px_nl"*}" >&2; break; }
      echo >&3
      case $px_q in (0+0\ *) echo end >&5; break ;; esac
    done 4>&1 | $px_hash
  } 5>&1 <"$1")
  case $px_x in
    end*)
      px_x=${px_x#end?}
      printf '%s %s\n' "${px_x%% *}" "${1%%"$px_nl"*}" >&3 ;;
  esac
}`)

const digestBlocks = infoBlocks + 3 + infoBlocks + 1

// accountFunctions print entries of user and group databases: px_files prints the local
// files as two blocks; px_entries prints the entries of names and IDs in one database as
// one block, or the whole local file if the host has neither getent nor dscacheutil.
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

// tempFunctions find temporary files. px_temps takes a directory path that ends with a
// slash. It prints the error if the directory cannot be searched, and then the paths, each
// ended by NUL.
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

// removeFunctions remove files. px_drop takes a type, f for regular files and l for links,
// and paths; it prints those that were of that type and were removed, each ended by NUL.
// The others are unchanged.
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
