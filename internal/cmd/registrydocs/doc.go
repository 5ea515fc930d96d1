// Command registrydocs writes the pages that registries of Terraform and
// OpenTofu show of the provider: docs/index.md and, for each family, the pages
// in docs/resources, docs/data-sources and so on. "go generate ./resources" runs
// it.
//
// The pages are rendered by tfplugindocs, which the module in tools/docs pins,
// from the templates in templates/, the configurations in examples/ and the
// schema. tfplugindocs would get the schema from a Terraform that it downloads;
// it is given instead the JSON that "tofu providers schema -json" prints,
// written here from the provider in this process. So nothing is downloaded but
// Go modules.
//
// A page that is written by hand, such as a guide, belongs in templates/ too:
// what tfplugindocs does not make itself it removes from these folders.
//
// Invariants: the same schema, examples and templates give the same bytes.
// Whatever has no description or no example is an error, and so is an example of
// what does not exist.
//
// Elsewhere: the words are the doc comments of package resources and below,
// which command describe makes a part of the schema; that each example works is
// a test of package resources.
package main
