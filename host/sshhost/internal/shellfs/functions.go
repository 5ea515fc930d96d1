package shellfs

import "github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"

// functions is the library of shell functions that requests use. px_e is empty after a tool succeeded.
// Otherwise it starts with a word for the error: "failed:" followed by the tool's message, preceded by
// "owner" for an error of chown; "type" for an object of the wrong type; "target" for a link with a
// different target; "lost" if the temporary file or the old path of a rename no longer exists; or "large":
// see makeFunctions. px_y is the type of the object at a path, n if no object was found.
//
// px_T and px_L are the options with which mv and ln do not create the new name inside a
// directory at the path.
var functions = shell.Join(shell.Fixed(`px_T=
px_L=
case $(mv -T /px-none/a /px-none/b 2>&1) in
  *'No such file or directory') px_T=-T ;;
  *) case $(mv -h /px-none/a /px-none/b 2>&1) in
    *'No such file or directory') px_T=-h ;;
  esac ;;
esac
case $(ln -T /px-none/a /px-none/b 2>&1) in
  *'No such file or directory') px_L=-T ;;
esac
px_kind() {
  if [ -L "$1" ]; then px_y=l
  elif [ -d "$1" ]; then px_y=d
  elif [ -f "$1" ]; then px_y=f
  elif [ -p "$1" ]; then px_y=p
  elif [ -S "$1" ]; then px_y=s
  elif [ -b "$1" ]; then px_y=b
  elif [ -c "$1" ]; then px_y=c
  elif [ -e "$1" ]; then px_y=o
  else px_y=n
  fi
}
px_try() {
  if px_e=$("$@" 2>&1); then px_e=; else px_e="failed: $px_e"; return 1; fi
}
px_free() {
  px_kind "$1"
  if [ "$px_y" = n ]; then px_e=; else px_e='failed: File exists'; return 1; fi
}`), nameFunctions, modeFunctions, attributeFunctions, readFunctions, buildFunctions, makeFunctions)

// nameFunctions change names. Busybox's mv follows a link that it should replace, and fails
// unless the link is dangling or points to a file: px_over then removes the link and calls mv
// again. The functions that requests call end a block with px_e, except for px_discard, which
// prints nothing; px_place, px_relink, px_symlink and px_rmdir then print the info of the path.
// px_relink replaces any link if $4 is empty. Otherwise $4 is an equals sign and the old target:
// px_relink keeps a link that has the new target, and replaces only a link that has the old one.
var nameFunctions = shell.Fixed(`px_over() {
  px_kind "$2"
  if [ "$px_T" != -T ] && [ "$px_y" = d ]; then
    px_try rmdir -- "$2" || return 1
  elif [ -z "$px_T" ] && [ -d "$2" ]; then
    px_e="failed: this host's mv would not replace a link to a directory"
    return 1
  fi
  px_try mv -f $px_T -- "$1" "$2" && return
  case $px_y$px_e in
    l*"can't stat '"*|l*"' is a directory")
      if [ -e "$1" ] || [ -L "$1" ]; then
        rm -f -- "$2" && px_try mv -f $px_T -- "$1" "$2" && return
      fi ;;
  esac
  px_lost "$1"
  return 1
}
px_lost() {
  px_kind "$1"
  if [ "$px_y" = n ] && [ -d "${1%/*}/" ]; then px_e=lost; fi
}
px_place() {
  px_kind "$2"
  case $3$px_y in
    over[fn]) px_over "$1" "$2" ;;
    over?) px_e=type ;;
    newn) if px_try ln $px_L -- "$1" "$2"; then rm -f -- "$1"; else px_lost "$1"; fi ;;
    *) px_e='failed: File exists' ;;
  esac
  px_said
  px_info "$2"
}
px_relink() {
  px_kind "$3"
  px_q=yes
  px_e=
  if [ "$px_y" = l ] && [ -n "$4" ]; then
    px_x=$(readlink "$3" && echo .)
    px_x="=${px_x%??}"
    if [ "$px_x" = "=$1" ]; then px_q=
    elif [ "$px_x" != "$4" ]; then px_q= px_e=target
    fi
  fi
  case $px_q$px_y in
    yes[ln]) if px_try ln -s $px_L -- "$1" "$2"; then
      px_over "$2" "$3" || { px_x=$px_e; rm -f -- "$2"; px_e=$px_x; }
    fi ;;
    yes?) px_e=type ;;
  esac
  px_said
  px_info "$3"
}
px_symlink() {
  if px_free "$2"; then px_try ln -s $px_L -- "$1" "$2"; fi
  px_said
  px_info "$2"
}
px_link() {
  if px_free "$2"; then px_try ln $px_L -- "$1" "$2"; fi
  px_said
}
px_move() {
  px_over "$1" "$2"
  px_said
}
px_remove() {
  px_kind "$1"
  if [ "$px_y" = d ]; then px_e=type; else px_try rm -- "$1"; fi
  px_said
}
px_discard() {
  for px_p do
    px_kind "$px_p"
    if [ "$px_y" != d ]; then rm -f -- "$px_p"; fi
  done
}
px_rmdir() {
  px_try rmdir -- "$1"
  px_said
  px_info "$1"
}`)

// attributeFunctions change mode and owner; an empty value means no change. px_attributes
// and px_mkdir end with px_e and the info of the path; "owner" precedes an error of chown.
//
// chmod follows links, and another user may put a link at the path at any moment.
// Therefore the mode is set through a descriptor, if the open object is the one at the
// path. Files that this user cannot read, and objects that are neither files nor
// directories, are not opened.
var attributeFunctions = shell.Fixed(`px_own() {
  [ -z "$2" ] || px_try chown -h -- "$2" "$1" || { px_e="owner $px_e"; return 1; }
}
px_mode() {
  if [ -z "$2" ]; then return; fi
  px_kind "$1"
  px_q=
  case $px_y in
    l) px_e='failed: it became a symbolic link'; return 1 ;;
    [df]) { px_q=yes; px_same "$1" && px_chmod "$2" "$1"; } 4<"$1" ;;
  esac
  case $px_q$px_e in
    yes) ;;
    yes*) return 1 ;;
    *) px_chmod_name "$2" "$1" ;;
  esac
}
px_same() {
  set -- "$1" $(px_opened <&4)
  px_x=-c
  if [ "$px_stat" = bsd ]; then px_x=-f; fi
  case $(stat $px_x '%d %i' -- "$1") in
    "$8 $9") px_e= ;;
    *) px_e='failed: it was replaced while its mode was set'; return 1 ;;
  esac
}
px_attributes() {
  px_e=
  px_mode "$1" "$2" && px_own "$1" "$3" && px_mode "$1" "$4"
  px_said
  px_info "$1"
}
px_mkdir() {
  if px_free "$1"; then
    if px_e=$(umask "$2"; mkdir -- "$1" 2>&1); then
      px_e=
      px_own "$1" "$3" && px_mode "$1" "$4" || { px_x=$px_e; rmdir -- "$1"; px_e=$px_x; }
    else
      px_e="failed: $px_e"
    fi
  fi
  px_said
  px_info "$1"
}`)

// readFunctions list directories and read files. px_list takes a directory path that ends with a slash, and prints the
// error if the directory cannot be listed, then the type and name of each entry, each ended by NUL.
// px_get prints the info of a path, and for a regular file also the output of px_opened, the
// content if it is at most $2 bytes, and the error.
var readFunctions = shell.Fixed(`px_list() {
  if px_e=$(ls -a "$1." 2>&1 >/dev/null); then px_e=; else px_e="failed: $px_e"; fi
  px_said
  for px_p in "$1"* "$1".[!.]* "$1"..?*; do
    px_kind "$px_p"
    px_x=${px_p#"$1"}
    case $px_y$px_x in
      'n*' | 'n.[!.]*' | 'n..?*') ;;
      *) printf '%s%s\0' "$px_y" "$px_x" ;;
    esac
  done
  px_b
}
px_get() {
  px_info "$1"
  px_e=
  px_q=
  if [ -f "$1" ] && [ ! -L "$1" ]; then
    { px_q=yes; px_send "$2"; } 4<"$1"
    if [ -z "$px_q" ]; then px_b; px_b; px_e="failed: $(cat -- "$1" 2>&1 >/dev/null)"; fi
  else
    px_b; px_b
  fi
  px_said
}
px_send() {
  px_r=$(px_opened <&4)
  printf %s "$px_r"
  px_b
  set -- "$1" $px_r
  if [ "${3:-0}" -le "$1" ]; then
    if px_e=$(cat <&4 2>&1 >&3); then px_e=; else px_e="failed: $px_e"; fi
  fi
  px_b
}`)

// reading calls px_ready with the output of px_opened for the file $1, and replaces the shell with a command
// that prints the file. If $1 can no longer be opened as a regular file, it only calls px_ready without arguments.
var reading = shell.Fixed(`px_q=
if [ -f "$1" ] && [ ! -L "$1" ]; then
  { px_q=yes; px_ready "$(px_opened <&4)"; exec cat <&4; } 4<"$1"
fi
px_ready`)

// modeFunctions set modes. px_chmod sets the mode of the file that is open as descriptor 4
// and has the path $2. px_chmod_name does not follow a link at the path if chmod has an option
// for that. Otherwise it fails for root in a directory in which another user may put a link
// (px_shared).
var modeFunctions = shell.Fixed(`px_chmod() {
  if [ -e /proc/self/fd/4 ]; then px_try chmod -- "$1" /proc/self/fd/4; else px_chmod_name "$1" "$2"; fi
}
px_chmod_name() {
  case $(chmod -h 0 /px-none/a 2>&1) in
    *' 0: '*) ;; # to busybox, -h is the mode, and 0 is a file
    *'No such file or directory') px_try chmod -h -- "$1" "$2"; return ;;
  esac
  if [ "$(id -u)" = 0 ] && px_shared "${2%/*}/."; then
    px_e='failed: others may put a link here, and this host cannot set a mode without following it'
    return 1
  fi
  px_try chmod -- "$1" "$2"
}
px_shared() {
  set -- $(ls -ldn "$1")
  case $1/$3 in d????-??-*/0) return 1 ;; esac
}`)

// buildFunctions complete a new file, which is open as descriptor 4 and whose path is px_f.
// px_build takes owner, mode and whether to sync, and sets px_r to the output of px_opened.
// If the host has a name for the open file, px_build uses that name, because another object
// may be at the path by then.
//
// A file that its owner may not read cannot be synced by name.
var buildFunctions = shell.Fixed(`px_own_new() {
  [ -z "$1" ] && return
  if [ "$px_d" = "$px_f" ]; then px_try chown -h -- "$1" "$px_d"; else px_try chown -- "$1" "$px_d"; fi && return
  set -- "$1" $(px_opened <&4)
  case $1 in
    "$4:$5" | "$4" | ":$5") px_e= ;;
    *) px_e="owner $px_e"; return 1 ;;
  esac
}
px_sync() {
  if [ -z "$1" ]; then return; fi
  if px_has fsync && fsync "$px_d" 2>/dev/null; then return; fi
  if px_has sync; then px_try sync "$px_d"; fi
}
px_build() {
  px_own_new "$1" || return
  case $2 in
    *[4-7]??) px_chmod "$2" "$px_f" && px_sync "$3" ;;
    *) px_sync "$3" && px_chmod "$2" "$px_f" ;;
  esac
  px_r=$(px_opened <&4)
}
px_name() {
  px_d=/proc/self/fd/4
  if [ ! -e "$px_d" ]; then px_d=$px_f; fi
}
px_hinders() {
  px_e=$(ln -s . "$1" 2>&1) && rm -f -- "$1"
  px_e="failed: ${px_e##*: }"
}`)

// makeFunctions create a file with the content inside the request. px_make takes path, owner, mode, whether to
// sync, the expected output of px_opened, the content as a format for printf, and a path that is empty or at
// which there must be no object; it prints px_e and the actual output of px_opened. px_then calls px_place if
// all that succeeded. Content never appears on a command line: if printf is not built in, px_e is "large".
//
// Shells word errors of creating a file differently, so a tool is run to get the system's
// message.
var makeFunctions = shell.Fixed(`umask 077
px_P=$(command -v printf)
px_make() {
  px_r=
  px_q=
  if [ -n "$7" ] && ! px_free "$7"; then
    :
  elif [ "$px_P" = printf ]; then
    px_f=$1
    set -C
    { set +C; px_q=yes; px_fill "$6" && px_build "$2" "$3" "$4"; } 4>"$1"
    set +C
    if [ -z "$px_q" ]; then px_hinders "$1"; fi
  else
    px_e=large
  fi
  px_ok=
  case $px_e$px_r in $5) px_ok=yes ;; esac
  px_said
  printf %s "$px_r"
  px_b
}
px_fill() {
  px_name
  if px_e=$(printf "$1" 2>&1 >&4); then px_e=; else px_e="failed: $(ls -a / 2>&1 >&4)"; return 1; fi
}
px_then() {
  if [ -n "$px_ok" ]; then
    px_place "$@"
  else
    if [ -n "$px_q" ]; then rm -f -- "$1"; fi
    px_b
    px_info "$2"
  fi
}`)

// filling creates the file $1 with owner $2, mode $3 and its input as content, and syncs it
// if $4 is set. It calls px_ready with "begun" once the file exists, or with the error; at the end
// of the input it prints "done" and the output of px_opened, or the error.
var filling = shell.Join(shell.Fixed(`px_has() { command -v "$1" >/dev/null 2>&1; }
px_try() {
  if px_e=$("$@" 2>&1); then px_e=; else px_e="failed: $px_e"; return 1; fi
}`), modeFunctions, buildFunctions, shell.Fixed(`LC_ALL=C
export LC_ALL
umask 077
px_f=$1
px_q=
set -C
{
  set +C
  px_q=yes
  px_ready begun
  px_name
  if px_e=$(cat 2>&1 >&4); then px_build "$2" "$3" "$4"; else px_e="failed: $px_e"; fi
  if [ -z "$px_e" ]; then printf 'done %s' "$px_r"; else printf %s "$px_e"; fi
} 4>"$1"
if [ -z "$px_q" ]; then
  px_hinders "$1"
  px_ready "$px_e"
fi`))
