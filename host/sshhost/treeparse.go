package sshhost

import (
	"bytes"
	"encoding/hex"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shellrpc"
)

// parseTree parses the output of [readScript]. Any deviation is an error: a missing part
// must not make files seem absent.
func parseTree(printed []byte, q host.TreeQuery) ([]host.TreeEntry, error) {
	r := &treeReader{rest: printed}
	byPath := map[string]host.TreeEntry{}
	r.groups(q.Digests, byPath)
	if q.All {
		r.groups(q.Digests && q.Paths == nil, byPath)
	}
	if string(r.rest) != "done" || r.wrong {
		return nil, errNoTree
	}
	return reachable(byPath), nil
}

// treeReader parses an output from its beginning.
type treeReader struct {
	rest  []byte
	wrong bool
}

// until returns the text before the next NUL, and skips both.
func (r *treeReader) until() string {
	before, after, found := bytes.Cut(r.rest, []byte{0})
	r.rest, r.wrong = after, r.wrong || !found
	return string(before)
}

// groups parses groups up to the NUL behind them. Known entries are kept, as they may have
// a digest.
func (r *treeReader) groups(digests bool, byPath map[string]host.TreeEntry) {
	for !r.wrong {
		first := r.until()
		if first == "" {
			return
		}
		paths := []string{first}
		for p := r.until(); p != ""; p = r.until() {
			paths = append(paths, p)
		}
		for _, e := range r.group(paths, digests) {
			if _, twice := byPath[e.Path]; !twice {
				byPath[e.Path] = e
			}
		}
	}
}

func (r *treeReader) group(paths []string, digests bool) []host.TreeEntry {
	records := strings.Split(strings.TrimSuffix(r.until(), "\n"), "\n")
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

// record parses mode, size, user, group and time.
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
	info.Type, info.Mode = shellrpc.FileType(mode), host.Mode(mode)&host.ModeMask //nolint:gosec // of 32 bits, as are the next two
	info.Size = int64(number(fields[1], 10, 63))                                  //nolint:gosec // of 63 bits
	info.UID = uint32(number(fields[2], 10, 32))                                  //nolint:gosec // see above
	info.GID = uint32(number(fields[3], 10, 32))                                  //nolint:gosec // see above
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
	records := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
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
