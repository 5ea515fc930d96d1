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
	m := manifest{{path: "-x", kind: host.TypeRegular, mode: 0o4755, sum: trace{1}}, {path: ".", kind: host.TypeDirectory, mode: 0o755, made: true, uid: 1<<32 - 1, gid: 7}}
	for i := range n {
		path := fmt.Sprintf("some/directory-%d/file-%d.html", i/100, i)
		m = append(m, item{path: path, kind: host.TypeRegular, mode: 0o644, sum: traceOf(sha256.Sum256([]byte(path)))})
	}
	m = append(m, item{path: "x\n\xff\x00", kind: absent}, item{path: "y", kind: host.TypeFIFO, extra: true})
	m.sort()
	return m
}

func TestRecord(t *testing.T) {
	t.Parallel()
	for _, m := range []manifest{{}, sample(0), sample(500)} {
		got, err := unpack(m.pack())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, got, cmp.AllowUnexported(item{})); diff != "" {
			t.Errorf("another record (-want +got):\n%s", diff)
		}
	}
	if m, err := unpack(nil); m != nil || err != nil {
		t.Errorf("of nothing: %v, %v", m, err)
	}
	record := sample(20).pack()
	for i := range record {
		if _, err := unpack(record[:i]); i > 0 && err == nil {
			t.Errorf("the first %d of %d bytes are a record", i, len(record))
		}
	}
	// The size that the documentation states for 5,000 files, as base64.
	if size := len(sample(5000).text()); size > 200_000 {
		t.Errorf("5,000 files take %d bytes of the state", size)
	}
}

func FuzzRecord(f *testing.F) {
	f.Add(sample(3).pack())
	f.Add([]byte{recordVersion})
	f.Fuzz(func(t *testing.T, record []byte) {
		m, err := unpack(record)
		if err != nil || m == nil {
			return
		}
		again, err := unpack(m.pack())
		if err != nil || !cmp.Equal(m, again, cmp.AllowUnexported(item{})) {
			t.Errorf("%v is read as %v (%v)", m, again, err)
		}
		if !bytes.Equal(m.pack(), again.pack()) {
			t.Error("packed twice, it is another")
		}
	})
}

// Any difference changes the digest, except for owners and objects that do not exist.
func TestDigest(t *testing.T) {
	t.Parallel()
	base := func() manifest {
		return manifest{{path: "a", kind: host.TypeRegular, mode: 0o644, sum: trace{1}}, {path: "b", kind: host.TypeDirectory, mode: 0o755}}
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
			t.Errorf("another %s has the same digest", name)
		}
	}
	same := base()
	same[0].uid, same[1].made = 5, true
	if same = append(same, item{path: "c", kind: absent}); same.digest() != base().digest() {
		t.Error("the digest is of more than it should be")
	}
}

// A plan lists the first of many changes.
func TestManyChanges(t *testing.T) {
	t.Parallel()
	source := &sourceTree{items: sample(5000)[1:]}
	p := plan{source: source, changes: compare(source.items, nil, wish{})}
	var out Output
	p.describe(&out)
	if len(out.Changes) != listed+1 || out.Changes[listed] != "… and 4903 more" || out.Added != 5003 {
		t.Errorf("%d added, %d lines, the last %q", out.Added, len(out.Changes), out.Changes[len(out.Changes)-1])
	}
}
