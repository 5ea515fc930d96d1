// Command resourcedocs writes the reference of the provider, docs/index.md and
// docs/resources, in the layout that registries of Terraform and OpenTofu show.
// "go generate ./resources" runs it, and its test fails while a page is not what
// the schema gives.
//
// Each page has what the schema says and the example in
// examples/resources/TYPE/resource.tf (examples/provider/provider.tf for the
// index), whose first resource is also the one that is shown imported.
//
// Invariants: the same schema and examples give the same bytes; a schema that has
// what the pages cannot show, as nested blocks, is an error.
//
// Elsewhere: the words are the doc comments of package resources and below, which
// command describe makes a part of the schema.
package main
