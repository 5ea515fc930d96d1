package lifecycle

import (
	"slices"
	"sync"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
)

// priorObject has the inputs of a prior state.
type priorObject struct {
	host *string
	key  Key
}

func (p priorObject) Place() (*string, Key) { return p.host, p.key }

// TestObjects checks what a process records about objects in the state.
func TestObjects(t *testing.T) {
	t.Parallel()
	web, db := memory.New(memory.Config{Name: "web"}), memory.New(memory.Config{Name: "db"})
	hosts, err := NewHosts(web, db)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { hosts.objects.recordExisting(web, "/a") })
	}
	wg.Wait()
	hosts.recordPrior(priorObject{new("db"), "/b"})
	hosts.recordPrior(priorObject{new("gone"), "/c"})
	hosts.recordPrior(priorObject{nil, "/d"}) // moved from another provider
	hosts.recordPrior(priorObject{new("web"), ""})
	for _, tt := range []struct {
		h    host.Host
		key  Key
		want bool
	}{{web, "/a", true}, {db, "/a", false}, {db, "/b", true}, {web, "/b", false}, {web, "/c", false}, {web, "/d", false}, {web, "", false}} {
		scope := Scope{Host: tt.h, hosts: hosts, key: tt.key}
		if got := scope.Owned(); got != tt.want {
			t.Errorf("Owned of %s:%s is %t, want %t", tt.h.Name(), tt.key, got, tt.want)
		}
	}
	hosts.objects.recordMissing(web, "/a")
	if hosts.objects.inState.contains(web, "/a") {
		t.Error("after recordMissing, the object is recorded as in the state, want no record")
	}
}

// TestCreatedBelow checks that only objects, and parts of objects, below the directory on the same host count as created
// below it.
func TestCreatedBelow(t *testing.T) {
	t.Parallel()
	web, db := memory.New(memory.Config{Name: "web"}), memory.New(memory.Config{Name: "db"})
	hosts, err := NewHosts(web, db)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []Key{"/a", "/a/z", "/a/b/c", "/ab", "/", NameKey("user", "a")} {
		hosts.objects.created.Set("web", key, "posix_file")
	}
	hosts.objects.created.Set("db", "/a/d", "posix_file")
	tree := Scope{Host: web, hosts: hosts, key: "/a/b"}
	if err := tree.RecordParts(t.Context(), []Key{"/a/b/c", "/a/b/d"}); err != nil {
		t.Fatal(err)
	}
	scope := Scope{Host: web, hosts: hosts}
	if got, want := scope.CreatedBelow("/a"), []Key{"/a/b/c", "/a/b/d", "/a/z"}; !slices.Equal(got, want) {
		t.Errorf("the objects below /a are %q, want %q", got, want)
	}
}
