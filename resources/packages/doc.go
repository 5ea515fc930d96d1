// Package packages is posix_package, posix_package_repository and posix_packages: the
// packages that the package manager of a host installs, and the repositories that it uses.
//
// It decides whether a package is as configured, and combines the requests of many
// resources into few runs of the package manager. Package resources registers its types.
//
// Invariants:
//
//   - A read starts after the call that it answers. Concurrent reads share the
//     next run (coalescer.go).
//   - Packages that are requested at the same time are installed in one run. If that fails,
//     each that is missing gets a run of its own, so that each resource gets its own errors. The
//     state afterwards determines the result, not the exit status: if the scripts of one
//     package fail, the run for all packages fails.
//   - An installation removes no packages. A removal also removes packages that require the
//     removed one. If one of them was installed explicitly or is managed, the removal fails.
//   - A change of packages survives a lost connection and the end of this process.
//   - The name of a package is never interpreted as a pattern, a group, a file or an option.
//
// Elsewhere: package remotecmd runs programs; package textedit changes files that have
// other content as well.
package packages

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Package Output Repository RepositoryOutput Search Inventory InventoryOutput Item
