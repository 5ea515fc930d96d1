package tree

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/posixform/terraform-provider-posix/host"
)

func sample(n int) manifest {
	m := manifest{{path: "-x", kind: host.TypeRegular, mode: 0o4755, sum: shortDigest{1}}, {path: ".", kind: host.TypeDirectory, mode: 0o755, created: true, uid: 1<<32 - 1, gid: 7}}
	for i := range n {
		path := fmt.Sprintf("some/directory-%d/file-%d.html", i/100, i)
		m = append(m, item{path: path, kind: host.TypeRegular, mode: 0o644, sum: newShortDigest(sha256.Sum256([]byte(path)))})
	}
	m = append(m, item{path: "x\n\xff\x00", kind: absent}, item{path: "y", kind: host.TypeFIFO, extra: true},
		item{path: "z", kind: host.TypeSymlink, own: host.TypeCharDevice, sum: shortDigest{2}})
	m.sort()
	return m
}

func TestRecord(t *testing.T) {
	t.Parallel()
	for _, m := range []manifest{{}, sample(0), sample(500)} {
		got, err := decode(m.encode())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, got, cmp.AllowUnexported(item{})); diff != "" {
			t.Errorf("decoded manifest (-want +got):\n%s", diff)
		}
	}
	if m, err := decode(nil); m != nil || err != nil {
		t.Errorf("decode(nil) = %v, %v, want nil, nil", m, err)
	}
	record := sample(20).encode()
	for i := range record {
		if _, err := decode(record[:i]); i > 0 && err == nil {
			t.Errorf("decode accepts the first %d of the %d bytes of a record, want an error", i, len(record))
		}
	}
	// The documented size for 5,000 files, encoded as base64.
	if size := len(sample(5000).record()); size > 200_000 {
		t.Errorf("the record of 5,000 files has %d bytes, want at most 200,000", size)
	}
}

func FuzzRecord(f *testing.F) {
	f.Add(sample(3).encode())
	f.Add([]byte{recordVersion})
	f.Fuzz(func(t *testing.T, record []byte) {
		m, err := decode(record)
		if err != nil || m == nil {
			return
		}
		again, err := decode(m.encode())
		if err != nil || !cmp.Equal(m, again, cmp.AllowUnexported(item{})) {
			t.Errorf("the record of %v is decoded as %v (error %v), want the same manifest", m, again, err)
		}
		if !bytes.Equal(m.encode(), again.encode()) {
			t.Error("the encoding of the decoded manifest differs")
		}
	})
}

// TestDigest checks that the digest depends on the path, type, mode and content of each item and on the field
// extra, but not on owners, the field created and absent objects.
func TestDigest(t *testing.T) {
	t.Parallel()
	base := func() manifest {
		return manifest{{path: "a", kind: host.TypeRegular, mode: 0o644, sum: shortDigest{1}}, {path: "b", kind: host.TypeDirectory, mode: 0o755}}
	}
	for name, change := range map[string]func(m manifest) manifest{
		"path":    func(m manifest) manifest { m[0].path = "a2"; return m },
		"kind":    func(m manifest) manifest { m[0].kind = host.TypeSymlink; return m },
		"mode":    func(m manifest) manifest { m[1].mode = 0o700; return m },
		"content": func(m manifest) manifest { m[0].sum[15] = 1; return m },
		"extra":   func(m manifest) manifest { return append(m, item{path: "c", kind: host.TypeRegular, extra: true}) },
		"removed": func(m manifest) manifest { return m[:1] },
	} {
		if base().digest() == change(base()).digest() {
			t.Errorf("%s: the changed manifest has the same digest", name)
		}
	}
	same := base()
	same[0].uid, same[1].created = 5, true
	if same = append(same, item{path: "c", kind: absent}); same.digest() != base().digest() {
		t.Error("the digest depends on owners, the field created or absent objects")
	}
}

// TestManyChanges checks that a plan lists only the first changes, and the number of the others.
func TestManyChanges(t *testing.T) {
	t.Parallel()
	source := &sourceTree{items: sample(5000)[1:]}
	p := plan{source: source, changes: compare(source.items, nil, desired{})}
	var out Output
	p.setOutputs(&out)
	if len(out.Changes) != maxListed+1 || out.Changes[maxListed] != "… and 4904 more" || *out.Added != 5004 {
		t.Errorf("added %d, %d lines, last %q, want 5004, %d, %q", *out.Added, len(out.Changes), out.Changes[len(out.Changes)-1], maxListed+1, "… and 4904 more")
	}
}
