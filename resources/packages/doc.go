// Package packages is posix_package, posix_package_repository and posix_packages:
// what a host's package manager installs, and where from.
//
// It decides when a package is as wanted, what is done about one that is not, and
// how the wishes of many resources become few runs of a manager. Package resources
// registers its types.
//
// Invariants:
//
//   - A read is never older than the call that asked for it. Reads that come while
//     another is running share the next one (gather.go).
//   - What is installed at the same time is installed in one run. Where that fails,
//     each is installed alone, so that an error is that of the right resource, and
//     what decides is how the package is afterwards, not what a manager ends with:
//     the scripts of one package fail the runs of all.
//   - Nothing is removed that no resource asked to remove, neither by an
//     installation nor by a removal.
//   - A name of a package is the name of that package: what a manager also takes for
//     a pattern, a group, a file or an option is refused, or looked up before.
//
// Elsewhere: programs are run by package remotecmd, lines in files of others are changed
// by package textedit.
package packages

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Package Output Repository RepositoryOutput Search Inventory InventoryOutput Item
