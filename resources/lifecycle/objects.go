package lifecycle

import (
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
)

// objects has the facts that this process has recorded about managed objects.
type objects struct {
	// inState has the objects of the state. The plan of a create for one of them is part of a
	// replacement, so the existing object is that of the resource. Such a plan looks like a
	// first create if the object is tainted, and always with OpenTofu.
	inState Table[struct{}]
	// created has the objects that this run created. A later delete with the same key is
	// for the old object of a create_before_destroy replacement, or of a rename without a
	// moved block: the existing object belongs to the new resource. A second create with
	// the same key is an error. The values are the types of the resources.
	created Table[string]
	// parents has the directories that this run created as parents of other objects.
	parents Table[struct{}]
}

// recordExisting records that an object of the state exists. It is no longer one that this run
// created: its read is part of a later run of the same process.
func (o *objects) recordExisting(h host.Host, key Key) {
	o.inState.Set(h.Name(), key, struct{}{})
	o.created.Delete(h.Name(), key)
}

// recordMissing records that an object does not exist.
func (o *objects) recordMissing(h host.Host, key Key) {
	o.inState.Delete(h.Name(), key)
	o.created.Delete(h.Name(), key)
}

// Key identifies an object on its host: its path, or a [NameKey].
type Key = address.Path

// NameKey returns the key of an object without a path. It differs from every path, since paths
// start with a slash.
func NameKey(kind, name string) Key { return Key(kind + ":" + name) }

func isPath(key Key) bool { return strings.HasPrefix(string(key), "/") }
