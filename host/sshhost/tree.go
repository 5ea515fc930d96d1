package sshhost

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotefs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shellrpc"
)

var _ host.TreeReader = (*Host)(nil)

// ReadTree implements [host.TreeReader] with one command. If the command fails on the host or
// prints unexpected output, or the host has no shell, ReadTree walks the tree, which succeeds or returns
// the exact error.
func (h *Host) ReadTree(ctx context.Context, root string, q host.TreeQuery) ([]host.TreeEntry, error) {
	done, err := h.begin(ctx, root)
	if err != nil {
		return nil, h.fail("read", root, err)
	}
	defer done()
	if err := h.checkLinks(ctx, root); err != nil {
		return nil, h.fail("read", root, err)
	}
	if m := h.mode.Load(); m != nil && !m.shell {
		return host.WalkTree(ctx, onlyHost{h}, root, q)
	}
	entries, err := h.readTree(ctx, root, q)
	switch {
	case err == nil:
		return entries, nil
	case ctx.Err() != nil, errors.Is(err, host.ErrUnreachable), errors.Is(err, remote.ErrSilent), errors.Is(err, host.ErrTooMany), errors.Is(err, host.ErrTreeTooLarge):
		return nil, h.fail("read", root, err)
	}
	return host.WalkTree(ctx, onlyHost{h}, root, q)
}

// errNoTree means that the command for trees failed, or printed unexpected output.
var errNoTree = errors.New("unexpected output from the host's tools")

func (h *Host) readTree(ctx context.Context, root string, q host.TreeQuery) ([]host.TreeEntry, error) {
	script, err := readScript.Line()
	if err != nil {
		return nil, err
	}
	args := []string{"sh", "-c", script, "sh", root, "", "", strconv.Itoa(q.Depth)}
	if q.Digests {
		args[5] = "digests"
	}
	if q.All {
		args[6] = "names"
		if q.Digests && q.Paths == nil {
			args[6] = "digests"
		}
	}
	ways := withParents(q.Paths)
	var given bytes.Buffer
	for p := range ways {
		given.WriteString("./" + p + "\x00")
	}
	printed := &bounded{most: maxTree}
	if q.Limit > 0 {
		printed.most = min(maxTree, len(q.Paths)*treeEntry+(q.Limit+1)*treeEntry)
	}
	result, err := h.commands.Run(ctx, host.Command{Args: args, Stdin: &given, Stdout: printed})
	switch {
	case printed.full:
		return nil, printed.err()
	case err != nil:
		return nil, err
	case result.ExitCode != 0:
		return nil, errNoTree
	}
	found, err := parseTree(printed.Bytes(), q)
	if err != nil {
		return nil, err
	}
	if !q.All {
		found = slices.DeleteFunc(found, func(e host.TreeEntry) bool { return !ways[e.Path] })
	}
	for i := range found {
		asOverSFTP(&found[i].FileInfo)
		if err := remotefs.Label(ctx, h.accounts, &found[i].FileInfo); err != nil {
			return nil, err
		}
	}
	return found, nil
}

const (
	// maxTree is the maximum size of an output, which is held in memory; treeEntry is the
	// maximum size of the output for one entry.
	maxTree   = 32 << 20
	treeEntry = 3*4096 + 256
)

// bounded is a buffer with a maximum size.
type bounded struct {
	bytes.Buffer
	most int
	full bool
}

// err returns the error of a full buffer. A buffer that is smaller than maxTree has room for the maximum number of
// entries.
func (b *bounded) err() error {
	if b.most < maxTree {
		return host.ErrTooMany
	}
	return fmt.Errorf("%w: more than %d MiB", host.ErrTreeTooLarge, maxTree>>20)
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > b.most {
		b.full = true
		return 0, b.err()
	}
	if b.Len() >= b.most/4 && b.Available() < len(p) { // doubling would hold up to three times the content
		b.Grow(b.most - b.Len())
	}
	return b.Buffer.Write(p)
}

// readScript prints the contents of a directory, $1: first the paths on its input, each
// ended by NUL and beginning with "./", with digests if $2 is set; then, unless $3 is
// empty, everything, with digests if $3 is "digests", and $4 levels deep if that is not 0. Its output
// consists of groups of:
//
//   - the paths that exist, each ended by NUL, and a NUL
//   - a line for each, and a NUL: mode (hexadecimal, with the type), size, UID, GID,
//     mtime
//   - the targets of those that are links, each ended by NUL
//   - if digests are requested, a line that starts with the digest for each regular file,
//     and a NUL: first for names that no tool escapes, then for the others
//
// After the groups of each pass there is a NUL, and at the end "done". It
// exits with 9 if the host lacks one of its tools, if $1 is a link or cannot be entered, or if a tool
// fails, for example because a file disappears in between. Paths are processed a thousand at a
// time, with a few processes for each thousand, and one more for each name that a tool
// escapes and, unless stat is that of GNU, for each link.
var readScript = shell.Join(shell.Fixed(`LC_ALL=C
export LC_ALL`), shellrpc.Tools, shell.Fixed(`px_inner='
px_stat=$1 px_hash=$2
shift 2
px_nl=$(printf "\012.") px_nl=${px_nl%.}
px_gone= px_links= px_plain= px_odd=
for px_p do
  if [ -L "$px_p" ]; then px_links=y
  elif [ -f "$px_p" ]; then
    case $px_p in
      *"$px_nl"* | *[\\]*) px_odd=y ;;
      *) px_plain=y ;;
    esac
  elif [ ! -e "$px_p" ]; then
    px_gone=y
    case $px_p in /dev/null/failed) exit 9 ;; esac
  fi
done
if [ -n "$px_gone" ]; then
  for px_p do
    shift
    if [ -e "$px_p" ] || [ -L "$px_p" ]; then set -- "$@" "$px_p"; fi
  done
  if [ $# = 0 ]; then exit 0; fi
fi
printf "%s\0" "$@" || exit 9
printf "\0"
case $px_stat in
  gnu | busybox) stat -c "%f %s %u %g %Y" "$@" || exit 9 ;;
  bsd) stat -f "%Xp %z %u %g %m" "$@" || exit 9 ;;
esac
printf "\0"
if [ -n "$px_links" ]; then (
  for px_p do
    shift
    if [ -L "$px_p" ]; then set -- "$@" "$px_p"; fi
  done
  if [ $# -gt 1 ] && [ "$px_stat" = gnu ]; then
    readlink -z "$@" || exit 9
  else
    for px_p do
      px_x=$(readlink "$px_p" && echo .) || exit 9
      printf "%s\0" "${px_x%??}"
    done
  fi
) || exit 9; fi
if [ -z "$px_hash" ]; then exit 0; fi
if [ -n "$px_plain" ]; then
  for px_p do
    if [ -f "$px_p" ] && [ ! -L "$px_p" ]; then
      case $px_p in
        *"$px_nl"* | *[\\]*) ;;
        *) printf "%s\0" "$px_p" ;;
      esac
    fi
  done | xargs -0 $px_hash || exit 9
fi
if [ -n "$px_odd" ]; then
  for px_p do
    if [ -f "$px_p" ] && [ ! -L "$px_p" ]; then
      case $px_p in
        *"$px_nl"* | *[\\]*) $px_hash <"$px_p" || exit 9 ;;
      esac
    fi
  done
fi
printf "\0"
'
if [ -L "$1" ] || [ -z "$px_stat" ] || [ -z "$px_hash" ]; then exit 9; fi
cd "$1" || exit 9
px_digests=
if [ -n "$2" ]; then px_digests=$px_hash; fi
xargs -0 -n 1000 sh -c "$px_inner" sh "$px_stat" "$px_digests" || exit 9
printf '\0'
if [ -n "$3" ]; then
  px_digests=
  if [ "$3" = digests ]; then px_digests=$px_hash; fi
  if [ "$4" = 0 ]; then set -- . -print0; else set -- . -maxdepth "$4" -print0; fi
  { find "$@" || printf '/dev/null/failed\0'; } | xargs -0 -n 1000 sh -c "$px_inner" sh "$px_stat" "$px_digests" || exit 9
  printf '\0'
fi
printf done`))

// withParents returns the set of paths and their parent directories; the value reports
// whether the path was requested, as "." always is.
func withParents(paths []string) map[string]bool {
	ways := map[string]bool{".": true}
	for _, p := range paths {
		ways[p] = true
		for at := path.Dir(p); at != "."; at = path.Dir(at) {
			if _, known := ways[at]; known {
				break
			}
			ways[at] = false
		}
	}
	return ways
}

// parseTree parses the output of [readScript]. Any deviation is an error, so that files do not
// seem absent because a part of the output is missing. If there are more entries than the limit and
// the requested paths permit, the error is [host.ErrTooMany].
func parseTree(printed []byte, q host.TreeQuery) ([]host.TreeEntry, error) {
	r := &treeReader{rest: printed}
	if q.Limit > 0 {
		r.most = q.Limit + len(withParents(q.Paths))
	}
	byPath := map[string]host.TreeEntry{}
	r.groups(q.Digests, byPath)
	if q.All {
		r.groups(q.Digests && q.Paths == nil, byPath)
	}
	switch {
	case r.tooMany:
		return nil, host.ErrTooMany
	case string(r.rest) != "done" || r.wrong:
		return nil, errNoTree
	}
	return reachable(byPath), nil
}

// maxGroup is the maximum number of paths in a group, as in readScript.
const maxGroup = 1000

// treeReader parses an output from its beginning. It limits the number of entries, because an entry of a
// few bytes, which only a hostile host prints, takes many times more memory.
type treeReader struct {
	rest    []byte
	most    int // maximum number of entries; 0 for no limit
	tooMany bool
	wrong   bool
}

// until returns the text before the next NUL, and skips the text and the NUL.
func (r *treeReader) until() string {
	before, after, found := bytes.Cut(r.rest, []byte{0})
	r.rest, r.wrong = after, r.wrong || !found
	return string(before)
}

// groups parses groups up to the NUL after them. Existing entries are not replaced, because
// they may have a digest.
func (r *treeReader) groups(digests bool, byPath map[string]host.TreeEntry) {
	for !r.wrong && !r.tooMany {
		first := r.until()
		if first == "" {
			return
		}
		paths := []string{first}
		for p := r.until(); p != ""; p = r.until() {
			if len(paths) == maxGroup {
				r.wrong = true
				return
			}
			paths = append(paths, p)
		}
		for _, e := range r.group(paths, digests) {
			if _, twice := byPath[e.Path]; !twice {
				byPath[e.Path] = e
			}
		}
		r.tooMany = r.most > 0 && len(byPath) > r.most
	}
}

func (r *treeReader) group(paths []string, digests bool) []host.TreeEntry {
	records := strings.SplitN(strings.TrimSuffix(r.until(), "\n"), "\n", len(paths)+1)
	if len(records) != len(paths) {
		r.wrong = true
		return nil
	}
	entries := make([]host.TreeEntry, len(paths))
	var plain, odd []*host.TreeEntry
	for i, record := range records {
		e := &entries[i]
		e.FileInfo = r.record(record)
		e.Path = strings.TrimPrefix(paths[i], "./")
		if e.Path != path.Clean(e.Path) || !filepath.IsLocal(e.Path) { // callers join it to the path of the tree
			r.wrong = true
		}
		switch {
		case e.Type == host.TypeSymlink:
			e.LinkTarget = r.until()
		case e.Type != host.TypeRegular:
		case strings.ContainsAny(paths[i], "\n\\"):
			odd = append(odd, e)
		default:
			plain = append(plain, e)
		}
	}
	if digests {
		r.digests(append(plain, odd...))
	}
	return entries
}

// record parses mode, size, UID, GID and modification time.
func (r *treeReader) record(text string) (info host.FileInfo) {
	fields := strings.Fields(text)
	if len(fields) != 5 {
		r.wrong = true
		return info
	}
	number := func(text string, base, bits int) uint64 {
		n, err := strconv.ParseUint(text, base, bits)
		r.wrong = r.wrong || err != nil
		return n
	}
	mode := number(fields[0], 16, 32)
	info.Type, info.Mode = host.StatType(uint32(mode)), host.Mode(mode)&host.ModeMask //nolint:gosec // of 32 bits, as are UID and GID
	info.Size = int64(number(fields[1], 10, 63))                                      //nolint:gosec // of 63 bits
	info.UID = uint32(number(fields[2], 10, 32))                                      //nolint:gosec // see above
	info.GID = uint32(number(fields[3], 10, 32))                                      //nolint:gosec // see above
	seconds, err := strconv.ParseInt(fields[4], 10, 64)
	r.wrong = r.wrong || err != nil
	info.ModTime = time.Unix(seconds, 0)
	return info
}

// digests parses a line for each entry, in order.
func (r *treeReader) digests(entries []*host.TreeEntry) {
	text := r.until()
	if len(entries) == 0 {
		r.wrong = r.wrong || text != ""
		return
	}
	records := strings.SplitN(strings.TrimSuffix(text, "\n"), "\n", len(entries)+1)
	if len(records) != len(entries) {
		r.wrong = true
		return
	}
	for i, record := range records {
		digest, _, _ := strings.Cut(record, " ")
		raw, err := hex.DecodeString(digest)
		if err != nil || len(raw) != 32 {
			r.wrong = true
			return
		}
		entries[i].SHA256 = (*[32]byte)(raw)
	}
}

// reachable returns the entries whose parents are all directories.
func reachable(byPath map[string]host.TreeEntry) []host.TreeEntry {
	entries := make([]host.TreeEntry, 0, len(byPath))
	for p, e := range byPath {
		ok := true
		for i := strings.LastIndexByte(p, '/'); ok && i >= 0; i = strings.LastIndexByte(p[:i], '/') {
			ok = byPath[p[:i]].Type == host.TypeDirectory
		}
		if ok {
			entries = append(entries, e)
		}
	}
	return entries
}
