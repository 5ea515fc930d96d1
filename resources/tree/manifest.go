package tree

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
)

// item is an object at a path, in the source or on the host.
type item struct {
	path string // relative to the root, which is "."
	kind host.FileType
	mode host.Mode // 0 for a link, which has none
	sum  trace     // of the content or the target; zero for directories
	size int64     // of a regular file; not recorded

	uid, gid uint32 // of an object on the host

	// made: a directory that this tree created, and may remove.
	made bool
	// extra: an object on the host that the tree did not create. Its content is unknown.
	extra bool
}

// trace is the first half of a SHA-256, long enough to be collision-resistant.
type trace [16]byte

// absent is the type of an object that is missing on the host.
const absent = host.TypeUnknown

func (i *item) dir() bool { return i.kind == host.TypeDirectory }

// manifest is a list of items, sorted by path.
type manifest []item

func (m manifest) sort() {
	slices.SortFunc(m, func(a, b item) int { return strings.Compare(a.path, b.path) })
}

func (m manifest) find(path string) *item {
	i, found := slices.BinarySearchFunc(m, path, func(a item, path string) int { return strings.Compare(a.path, path) })
	if !found {
		return nil
	}
	return &m[i]
}

// digest returns a digest of all items, without their owners.
func (m manifest) digest() string {
	sum := sha256.New()
	for i := range m {
		it := &m[i]
		if it.kind == absent {
			continue
		}
		// A path has no NUL, and the rest has a fixed length.
		_, _ = fmt.Fprintf(sum, "%s\x00%02d%t%04o%x", it.path, it.kind, it.extra, it.mode, it.sum) // Write of a hash never fails
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// count sets the outputs that are counts.
func (m manifest) count(out *Output) {
	out.Digest, out.Files, out.Directories, out.Links, out.Size = m.digest(), 0, 0, 0, 0
	for i := range m {
		switch it := &m[i]; {
		case it.extra:
		case it.kind == host.TypeRegular:
			out.Files++
			out.Size += it.size
		case it.kind == host.TypeDirectory:
			out.Directories++
		case it.kind == host.TypeSymlink:
			out.Links++
		}
	}
}

const (
	recordVersion = 1
	flagMade      = 1
	flagExtra     = 2
	flagSum       = 4
)

// pack returns the stored form: each path without the prefix that it shares with the
// previous one, and everything compressed.
func (m manifest) pack() []byte {
	var b []byte
	last := ""
	for i := range m {
		it := &m[i]
		same := 0
		for same < min(len(last), len(it.path)) && last[same] == it.path[same] {
			same++
		}
		last = it.path
		var flags byte
		for flag, set := range map[byte]bool{flagMade: it.made, flagExtra: it.extra, flagSum: it.sum != trace{}} {
			if set {
				flags |= flag
			}
		}
		b = binary.AppendUvarint(b, uint64(same)) //nolint:gosec // a length
		b = binary.AppendUvarint(b, uint64(len(it.path)-same))
		b = append(b, it.path[same:]...)
		b = append(b, byte(it.kind), flags)
		for _, n := range []uint32{uint32(it.mode), it.uid, it.gid} {
			b = binary.AppendUvarint(b, uint64(n))
		}
		if it.sum != (trace{}) {
			b = append(b, it.sum[:]...)
		}
	}
	var packed bytes.Buffer
	packed.WriteByte(recordVersion)
	w, _ := flate.NewWriter(&packed, flate.BestCompression) // the level is valid
	_, _ = w.Write(b)                                       // Write to a buffer never fails
	_ = w.Close()                                           // see above
	return packed.Bytes()
}

var errRecord = errors.New("cannot read the record of the files in the state: it was written by another version of the provider, or is damaged. " +
	"Remove the tree from the state and import it again")

// maxRecord limits the uncompressed size of a record.
const maxRecord = 1 << 30

// unpack parses the result of pack; nil if it is empty.
func unpack(record []byte) (manifest, error) {
	if len(record) == 0 {
		return nil, nil
	}
	if record[0] != recordVersion {
		return nil, errRecord
	}
	b, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(record[1:])), maxRecord+1))
	if err != nil || len(b) > maxRecord {
		return nil, errRecord
	}
	r := &recordReader{rest: b}
	m := manifest{}
	last := ""
	for len(r.rest) > 0 && !r.wrong {
		same, more := r.number(), r.number()
		if same > uint64(len(last)) {
			return nil, errRecord
		}
		it := item{path: last[:same] + string(r.bytes(more))}
		head := r.bytes(2)
		it.mode, it.uid, it.gid = host.Mode(r.number32()), r.number32(), r.number32()
		if r.wrong || it.path == "" || it.path <= last || it.mode > host.ModeMask {
			return nil, errRecord
		}
		it.kind, it.made, it.extra = host.FileType(head[0]), head[1]&flagMade != 0, head[1]&flagExtra != 0
		if head[1]&flagSum != 0 {
			it.sum = trace(r.bytes(uint64(len(trace{}))))
		}
		last = it.path
		m = append(m, it)
	}
	if r.wrong {
		return nil, errRecord
	}
	return m, nil
}

// recordReader reads a record from its beginning.
type recordReader struct {
	rest  []byte
	wrong bool
}

func (r *recordReader) number() uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.wrong, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *recordReader) number32() uint32 {
	n := r.number()
	r.wrong = r.wrong || n > 1<<32-1
	return uint32(n) //nolint:gosec // see above
}

// bytes returns the next n bytes; zeros, and an error later, if there are fewer.
func (r *recordReader) bytes(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.wrong, r.rest = true, nil
		return make([]byte, min(n, uint64(len(trace{}))))
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}
