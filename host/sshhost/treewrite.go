package sshhost

import (
	"archive/tar"
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotefs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
)

var _ host.TreeWriter = (*Host)(nil)

const writeTreeOp = "write below"

// WriteTree implements [host.TreeWriter] with one archive for each of the [parts]: the host unpacks it
// into a private directory below root, and then renames the files. Files are written one by one if the host
// lacks the tools, or if one of them has setuid, setgid or the sticky bit. They are also written one by one if
// the archive cannot be unpacked, unless another user could redirect the writes.
func (h *Host) WriteTree(ctx context.Context, root string, files []host.TreeFile) error {
	done, err := h.begin(ctx, root)
	if err != nil {
		return h.fail(writeTreeOp, root, err)
	}
	defer done()
	dir, err := h.resolveParent(ctx, root+"/tree")
	if err != nil {
		return h.fail(writeTreeOp, root, err)
	}
	for part := range parts(root, files) {
		if flat(part) {
			err = h.unpack(ctx, root, dir, part)
		} else {
			err = errors.ErrUnsupported
		}
		if errors.Is(err, errors.ErrUnsupported) {
			err = host.WriteEach(ctx, onlyHost{h}, root, part)
		}
		if err != nil {
			return h.fail(writeTreeOp, root, err)
		}
	}
	return nil
}

// flat reports whether no file has setuid, setgid or the sticky bit. A change of owner clears setuid
// and setgid.
func flat(files []host.TreeFile) bool {
	return !slices.ContainsFunc(files, func(f host.TreeFile) bool { return *f.Mode&^0o777 != 0 })
}

const (
	// Limits for one command.
	partBytes  = 256 << 20
	partFiles  = 20_000
	partPlaces = 1_000
	// placeNames limits the total length of the names in one place, because they are
	// arguments of one command.
	placeNames = 100 << 10
)

// maxReason limits the kept output of a failed command, in bytes: a line for each file that tar could not
// unpack, and the path of a directory.
const maxReason = 16 << 10

// place is a directory and the owner of the files to write in it.
type place struct{ dir, owner string }

func placeOf(f *host.TreeFile) place {
	p := place{dir: path.Dir(f.Path)}
	if f.UID != nil {
		p.owner = host.FormatID(*f.UID)
	}
	if f.GID != nil {
		p.owner += ":" + host.FormatID(*f.GID)
	}
	return p
}

// parts returns an iterator over the files below root, sorted by place, in parts that one command can
// write.
func parts(root string, files []host.TreeFile) func(yield func([]host.TreeFile) bool) {
	sorted := slices.Clone(files)
	slices.SortStableFunc(sorted, func(a, b host.TreeFile) int {
		p, q := placeOf(&a), placeOf(&b)
		return cmp.Or(cmp.Compare(p.dir, q.dir), cmp.Compare(p.owner, q.owner))
	})
	return func(yield func([]host.TreeFile) bool) {
		for len(sorted) > 0 {
			var size int64
			n, places, names, last := 0, 0, 0, place{}
			for ; n < len(sorted) && n < partFiles; n++ {
				f := &sorted[n]
				if p := placeOf(f); n == 0 || p != last {
					last, places, names = p, places+1, 0
				}
				names += len(path.Base(f.Path)) + len(host.TempPath(root+"/tree", "")) + len("//12345678")
				if size += f.Size; n > 0 && (size > partBytes || places > partPlaces || names > placeNames) {
					break
				}
			}
			if !yield(sorted[:n]) {
				return
			}
			sorted = sorted[n:]
		}
	}
}

// unpack writes files that are sorted by place. resolved is root without links; it is empty
// if links may be followed. The error matches [errors.ErrUnsupported] if nothing was changed and the
// files can be written one by one.
func (h *Host) unpack(ctx context.Context, root string, resolved host.ResolvedDir, files []host.TreeFile) error {
	script, err := writeScript.Line()
	if err != nil {
		return err
	}
	dir := path.Base(host.TempPath(root+"/tree", ""))
	code := unable
	if resolved.Dir != "" && !resolved.Trusted { // another user must not be able to make WriteTree write the files one by one, because links can redirect such writes
		code = 9
	}
	args := []string{"sh", "-c", script, "sh", root, dir, unpacked, resolved.Dir, strconv.Itoa(code)}
	leading := len(args)
	numbers := make([]int, len(files))
	for i, n := 0, -1; i < len(files); i++ {
		p := placeOf(&files[i])
		if i == 0 || p != placeOf(&files[i-1]) {
			n++
			args = append(args, p.owner, "./"+p.dir)
		}
		numbers[i] = n
	}
	reader, writer := io.Pipe()
	packed := make(chan error, 1)
	go func() {
		large := bufio.NewWriterSize(writer, 128<<10) // each write is one message
		err := pack(large, files, numbers)
		if err == nil {
			err = large.Flush()
		}
		_ = writer.Close() // the host detects an incomplete archive, and cleans up
		packed <- err
	}()
	stderr := host.Tail{Max: maxReason}
	result, err := h.commands.Run(ctx, host.Command{Args: args, Stdin: reader, Stderr: &stderr})
	_ = reader.CloseWithError(errNotRead) // makes pack return
	unsent := <-packed
	source, ofSource := errors.AsType[*host.SourceError](unsent)
	switch {
	case err != nil:
		if !host.MayHaveRun(err) && ctx.Err() == nil && !errors.Is(err, host.ErrUnreachable) {
			return errors.ErrUnsupported
		}
		h.clear(ctx, args[:leading])
		return err
	case ofSource && !errors.Is(unsent, errNotRead):
		return source
	case result.ExitCode == unable:
		return errors.ErrUnsupported
	case result.ExitCode != 0:
		reason, _ := stderr.Text()
		return h.scriptError(root, reason)
	}
	return nil
}

// scriptError returns the error in the output of writeScript. The last line of the output names the
// directory below root that the error is about, if any.
func (h *Host) scriptError(root, stderr string) error {
	at, dir := strings.LastIndex(stderr, "\nin ./"), ""
	if at >= 0 {
		stderr, dir = stderr[:at], strings.TrimSuffix(stderr[at+len("\nin ./"):], "\n")
	}
	return h.fail(writeTreeOp, path.Join(root, dir), shell.Reason(stderr))
}

// errNotRead means that the command ended before it read the whole archive.
var errNotRead = errors.New("the command did not read the whole archive")

// clear removes the directory that a killed command left behind, by running writeScript without
// pairs. If that fails, the next WriteTree removes the directory.
func (h *Host) clear(ctx context.Context, args []string) {
	ctx, cancel := host.WithoutCancel(ctx, remotefs.GracePeriod)
	defer cancel()
	_, _ = h.commands.Run(ctx, host.Command{Args: args})
}

// unpacked is the name of the last file of an archive. The file marks the archive as complete.
const unpacked = "complete"

// pack writes the archive: for each place a directory, whose name is a number, with the files of the
// place; then the file unpacked. An error while a file is copied is a [*host.SourceError].
func pack(w io.Writer, files []host.TreeFile, numbers []int) error {
	archive := tar.NewWriter(w)
	now := time.Now()
	header := func(kind byte, name string, mode host.Mode, size int64) error {
		return archive.WriteHeader(&tar.Header{
			Typeflag: kind, Name: name, Mode: int64(mode), Size: size, ModTime: now, Format: tar.FormatGNU,
		})
	}
	for i := range files {
		f, dir := &files[i], strconv.Itoa(numbers[i])
		if i == 0 || numbers[i] != numbers[i-1] {
			if err := header(tar.TypeDir, dir+"/", 0o700, 0); err != nil {
				return err
			}
		}
		if err := header(tar.TypeReg, dir+"/"+path.Base(f.Path), *f.Mode, f.Size); err != nil {
			return err
		}
		if err := copyTo(archive, f); err != nil {
			return &host.SourceError{Source: "content", Err: fmt.Errorf("%s: %w", host.QuotePath(f.Path), err)}
		}
	}
	if err := header(tar.TypeReg, unpacked, 0o600, 0); err != nil {
		return err
	}
	return archive.Close()
}

func copyTo(w io.Writer, f *host.TreeFile) error {
	content, err := f.Open()
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }() // read only: no write can be lost
	_, err = io.Copy(w, f.Content(content))
	return err
}

// unable is the exit code of writeScript if it changed nothing and the files can be written one
// by one.
const unable = 64

// writeScript unpacks the archive on its input below $1, in a directory named $2, and
// renames its files if the archive has a file named $3. If $4 is not empty, it is the expected path
// of $1 without links. $5 is the exit code if $1 is a link, cannot be entered or written to, or has leftovers that
// cannot be removed.
// The following arguments are pairs of an owner, which may be empty, and a directory: the first pair
// is for directory 0 of the archive. Leftovers of a killed command are removed first; without pairs,
// the script does only that. The files, with their owners, are synced before the first rename.
//
// A file can be replaced in one step only on the file system of $1, and not through a mount point:
// otherwise mv removes the old file and copies the new one. Therefore the exit code is also $5 if a directory
// is at or below a mount point inside $1, or on another device, such as that of a subvolume. The escapes in
// mountinfo have three digits, and %b in printf takes three after \0. The errors of stat about the
// owners among its arguments, which are not paths, are ignored.
//
// Other users may be able to replace the directories with links while the script runs. Therefore the script enters
// each directory, checks the path of the directory that it is in, and uses only names in it. The
// unpacked files are in a directory that only their writer can enter; on Linux they are found through
// its open descriptor, elsewhere by its path. Some shells pass descriptors above 2 only to programs
// that are started with them. A directory is emptied from inside, and, if $5 is 9, only if other users
// cannot enter it: the rm of busybox follows a link that replaces a directory.
//
// After an error about the directory of a pair, the last line of stderr is "in" and the directory.
var writeScript = shell.Fixed(`LC_ALL=C
export LC_ALL
umask 077
for px_p in tar mv mkdir rm rmdir; do
  command -v "$px_p" >/dev/null 2>&1 || exit 64
done
px_code=$5
px_unable() {
  echo "$1 cannot be entered or written to, or was replaced" >&2
  exit "$px_code"
}
if [ -L "$1" ]; then px_unable "$1"; fi
px_here() {
  px_at=$(pwd -P && echo .) || return 1
  px_at=${px_at%??}
}
cd "$1" && px_here || px_unable "$1"
if [ -n "$4" ] && [ "$px_at" != "$4" ]; then
  echo "$1 was replaced by a symbolic link" >&2
  exit 9
fi
px_root=${px_at%/}
px_name=$2
px_dir=$px_root/$2
px_last=$3
shift 5
px_apart() {
  echo "$px_root has a directory on another file system. Manage that with a posix_tree of its own" >&2
  exit "$px_code"
}
px_mounted() {
  while [ $# -gt 0 ]; do
    case $px_root/${2#./}/ in "$px_m"/*) px_apart ;; esac
    shift 2
  done
}
if [ -r /proc/self/mountinfo ]; then
  while read -r px_m px_m px_m px_m px_m px_p; do
    case $px_m in *\\*)
      px_p=
      while [ "$px_m" != "${px_m#*\\}" ]; do
        px_p=$px_p${px_m%%\\*}'\0'
        px_m=${px_m#*\\}
      done
      px_m=$(printf '%b.' "$px_p$px_m")
      px_m=${px_m%.} ;;
    esac
    case $px_m in "$px_root"/?*) px_mounted "$@" ;; esac
  done </proc/self/mountinfo
fi
for px_p in -c -f; do
  px_d=$(stat "$px_p" %d . 2>/dev/null)
  case $px_d in '' | *[!0-9]*) continue ;; esac
  for px_m in $(stat "$px_p" %d "$@" 2>/dev/null); do
    if [ "$px_m" != "$px_d" ]; then px_apart; fi
  done
  break
done
px_own() {
  px_i=0
  while [ $# -gt 0 ]; do
    if [ -n "$1" ]; then chown -R "$1" "./$px_i" || exit 9; fi
    px_i=$((px_i+1))
    shift 2
  done
}
px_place() {
  if [ ! -e "$1" ]; then return; fi
  for px_p do
    px_n=./${px_p##*/}
    if [ -L "$px_n" ]; then
      echo "${px_p##*/}: Is a symbolic link" >&2
      exit 9
    elif [ -e "$px_n" ] && [ ! -f "$px_n" ]; then
      echo "${px_p##*/}: is not a regular file" >&2
      exit 9
    fi
  done
  mv -f "$@" . 3<&3 || exit 9
}
px_rmdir() {
  cd "$px_root/" && px_here && [ "$px_at" = "${px_root:-/}" ] && rmdir "./$px_name"
}
px_clear() {
  px_here && [ "$px_at" = "$px_dir" ] && [ -O . ] || return 1
  case $px_code,$(ls -ld .) in 64,* | 9,drwx--?---*) ;; *) return 1 ;; esac
  rm -rf ./* ./.[!.]* ./..?*
  px_rmdir
}
px_end() {
  px_x=$?
  trap - EXIT
  if [ "$px_x" -ne 0 ] && [ -n "$px_to" ]; then printf '\nin %s\n' "$px_to" >&2; fi
  if [ -z "$px_from" ]; then px_rmdir; elif cd "$px_from"; then px_clear; fi 2>/dev/null
  exit "$px_x"
}
rm -f "./$px_name" 2>/dev/null
if cd "./$px_name" 2>/dev/null && ! px_clear; then
  echo "$px_dir belongs to another user or cannot be removed. Remove it" >&2
  exit "$px_code"
fi
if [ $# -eq 0 ]; then exit; fi
px_from=
px_to=
mkdir -m 700 "./$px_name" 2>/dev/null || px_unable "$px_dir"
trap px_end EXIT
trap 'exit 9' HUP INT TERM
cd "./$px_name" && px_here && [ "$px_at" = "$px_dir" ] || exit 9
if ! [ -O . ]; then px_unable "$px_dir"; fi
px_from=.
tar -xopf - || exit 9
if [ ! -f "./$px_last" ]; then
  echo 'the archive is incomplete' >&2
  exit 9
fi
px_own "$@"
sync -f . 2>/dev/null || sync
px_from=$px_dir
exec 3<.
if [ -f "/proc/self/fd/3/$px_last" ]; then px_from=/proc/self/fd/3; fi
px_i=0
while [ $# -gt 0 ]; do
  px_to=$2
  px_want=$px_root
  if [ "$2" != ./. ]; then px_want=$px_root/${2#./}; fi
  if ! cd "${px_want:-/}" 2>/dev/null; then
    if [ -e "$px_want" ] && [ ! -d "$px_want" ]; then
      echo 'it is not a directory' >&2
    else
      ls -d "$px_want/." >/dev/null
    fi
    exit 9
  elif ! px_here || [ "$px_at" != "${px_want:-/}" ]; then
    echo 'it was replaced by a symbolic link' >&2
    exit 9
  fi
  px_place "$px_from/$px_i"/*
  px_place "$px_from/$px_i"/.[!.]*
  px_place "$px_from/$px_i"/..?*
  if [ ! -d "$px_from/$px_i" ]; then
    echo "$px_dir was removed by another program" >&2
    exit 9
  fi
  px_i=$((px_i+1))
  shift 2
done`)
