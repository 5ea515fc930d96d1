// Package twin has a hand-written posix_file, implemented like the resources of package
// floor, with the schema and the identity of the real posix_file.
//
// A resource with many attributes and an identity costs the engine more, whichever provider
// serves it. Twin has the same cost for the engine as posix_file, so that the difference
// between the two is the provider's. A test compares their plans.
//
// It supports what the benchmark needs: files with content and mode on the local host. The
// schema comes from the provider, so that it cannot differ.
package twin
