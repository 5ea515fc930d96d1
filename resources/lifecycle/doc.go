// Package lifecycle has the code that all resources on hosts share: finding the host,
// locking the object, detecting objects that exist already or that another resource of the
// same run created, and recording which objects the state has.
//
// Package hosts makes a [Hosts] from the provider's configuration: the hosts by name, with the
// facts that this run has recorded about them. A type registered with [Resource] implements
// [Object]; its methods get a [Scope] and contain only the logic of the type:
//
//	func (n *Note) Place() (*string, lifecycle.Key) { return n.Host, n.Path }
//
//	func (n *Note) Read(ctx context.Context, scope *lifecycle.Scope, prior *Output) (*Output, error) {
//		info, err := scope.Host.Lstat(ctx, string(n.Path))
//		if errors.Is(err, fs.ErrNotExist) {
//			return nil, fmt.Errorf("%w: %w", runtime.ErrNotFound, err) // the next plan creates it
//		}
//		...
//	}
//
// Invariants:
//
//   - A host is found only by its name or a former name: an unknown name is an error.
//   - Create, Update and Delete of one object never run at the same time.
//   - Delete does not remove an object that another resource of this run created in the
//     same place, or that is a part of a tree that this run created or updated.
//   - An object of another type in the place of the managed one is drift: a read counts the
//     managed object as deleted, a delete keeps the other object, and a plan warns.
//   - Of two creates with the same path in one run, the second one is an error.
//   - A read on a host that cannot be reached fails, or keeps the prior object if the host is
//     to be skipped: the object never counts as deleted. Changes on the host fail.
//   - The plan of a create fails early for errors that a check on the host can find
//     (Preflight); the check is skipped if the host cannot be reached yet.
//
// Elsewhere: package address has names of hosts, paths and identities, package host the
// operations of a host, package access mode and owner.
package lifecycle

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Links
