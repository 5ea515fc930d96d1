package tree

import (
	"bytes"
	"cmp"
	"compress/flate"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
)

// item is one path in the source or on the host.
type item struct {
	path string // relative to the root, which is "."
	kind host.FileType
	mode host.Mode   // 0 for links
	sum  shortDigest // digest of the content or the target; zero for directories
	size int64       // size of a regular file; not stored

	uid, gid uint32 // of the object on the host

	// created is set for a directory that this tree has created or imported, and may remove.
	created bool
	// extra is set for an object on the host that the tree has not created, adopted or imported.
	// Its content is not compared.
	extra bool
	// own is the type of the tree's own object if another process has replaced that object by one of a
	// different type or has removed it; otherwise absent.
	own host.FileType
}

// shortDigest is the first half of a SHA-256 digest: long enough to prevent collisions.
type shortDigest [16]byte

// absent is the type of an object that is missing on the host.
const absent = host.TypeUnknown

func (i *item) isDir() bool { return i.kind == host.TypeDirectory }

// foreign reports whether the object does not belong to the tree, because the tree's own object has a different type.
func (i *item) foreign() bool { return i.kind != absent && i.own != absent }

// keepOwn sets own, given the item that the state has for the path.
func (i *item) keepOwn(was *item) {
	if i.own = cmp.Or(was.own, was.kind); i.own == i.kind {
		i.own = absent
	}
}

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

// created returns the paths of the directories that this tree has created or imported. The result is
// never nil.
func (m manifest) created() []string {
	dirs := []string{}
	for i := range m {
		if m[i].created {
			dirs = append(dirs, m[i].path)
		}
	}
	return dirs
}

// digest returns the digest of all items except absent ones. Owners are not part of it.
func (m manifest) digest() string {
	sum := sha256.New()
	for i := range m {
		it := &m[i]
		if it.kind == absent {
			continue
		}
		// The text is unambiguous: a path has no NUL bytes, and the other fields have
		// fixed lengths, except for true and false.
		_, _ = fmt.Fprintf(sum, "%s\x00%02d%t%04o%x", it.path, it.kind, it.extra, it.mode, it.sum) // a hash never fails
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// setCounts sets the outputs that describe the manifest.
func (m manifest) setCounts(out *Output) {
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
	flagCreated   = 1
	flagExtra     = 2
	flagSum       = 4

	ownShift = 4 // the upper four bits of the flags are the type own
)

// encode returns the manifest for the state: each path without the prefix that it
// shares with the previous one, all compressed.
func (m manifest) encode() []byte {
	var b []byte
	last := ""
	for i := range m {
		it := &m[i]
		same := 0
		for same < min(len(last), len(it.path)) && last[same] == it.path[same] {
			same++
		}
		last = it.path
		flags := byte(it.own) << ownShift
		for flag, set := range map[byte]bool{flagCreated: it.created, flagExtra: it.extra, flagSum: it.sum != shortDigest{}} {
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
		if it.sum != (shortDigest{}) {
			b = append(b, it.sum[:]...)
		}
	}
	var packed bytes.Buffer
	packed.WriteByte(recordVersion)
	w, _ := flate.NewWriter(&packed, flate.BestCompression) // the level is valid
	_, _ = w.Write(b)                                       // a buffer never fails
	_ = w.Close()                                           // a buffer never fails
	return packed.Bytes()
}

var errRecord = errors.New("cannot read the record of the files in the state: it was written by another version of the provider, or is damaged. " +
	"Remove the tree from the state and import it again")

// maxRecord limits the size of a decompressed record.
const maxRecord = 1 << 30

// decode is the inverse of encode. It returns nil for an empty record.
func decode(record []byte) (manifest, error) {
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
	for len(r.rest) > 0 && !r.failed {
		same, more := r.number(), r.number()
		if same > uint64(len(last)) {
			return nil, errRecord
		}
		it := item{path: last[:same] + string(r.bytes(more))}
		head := r.bytes(2)
		it.mode, it.uid, it.gid = host.Mode(r.number32()), r.number32(), r.number32()
		if r.failed || it.path == "" || it.path <= last || it.mode > host.ModeMask {
			return nil, errRecord
		}
		it.kind, it.created, it.extra = host.FileType(head[0]), head[1]&flagCreated != 0, head[1]&flagExtra != 0
		it.own = host.FileType(head[1] >> ownShift)
		if head[1]&flagSum != 0 {
			it.sum = shortDigest(r.bytes(uint64(len(shortDigest{}))))
		}
		last = it.path
		m = append(m, it)
	}
	if r.failed {
		return nil, errRecord
	}
	return m, nil
}

// recordReader reads fields from the beginning of a record.
type recordReader struct {
	rest   []byte
	failed bool
}

func (r *recordReader) number() uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.failed, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *recordReader) number32() uint32 {
	n := r.number()
	r.failed = r.failed || n > 1<<32-1
	return uint32(n) //nolint:gosec // see above
}

// bytes returns the next n bytes. If there are fewer, it sets failed and returns zeros.
func (r *recordReader) bytes(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.failed, r.rest = true, nil
		return make([]byte, min(n, uint64(len(shortDigest{}))))
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

// record returns the manifest as the value of an attribute. It is not stored in private data, which
// Terraform loses if the provider is killed during an apply.
func (m manifest) record() string { return base64.StdEncoding.EncodeToString(m.encode()) }

// manifest returns the manifest in the state: the one that was read last, or written
// since. It is nil after an import.
func (o *Output) manifest() (manifest, error) {
	if o == nil || o.Record == "" {
		return nil, nil
	}
	packed, err := base64.StdEncoding.DecodeString(o.Record)
	if err != nil || len(packed) == 0 {
		return nil, errRecord
	}
	return decode(packed)
}
