// Command registrydocs writes the provider's pages in the registries of
// Terraform and OpenTofu: docs/index.md and the pages in docs/resources,
// docs/data-sources and so on. "go generate ./resources" runs it.
//
// tfplugindocs, pinned by the module in tools/docs, renders the pages from
// templates/, examples/ and the schema. Instead of downloading Terraform to get
// the schema, it reads JSON in the format of "tofu providers schema -json",
// which this command writes from the provider in this process. Only Go
// modules are downloaded.
//
// Guides and other pages without a type belong in templates/ too: tfplugindocs
// removes all other files from its directories, such as docs/guides.
//
// Invariants: the output depends only on the schema, the subcategories, the
// examples, the templates and the version of tfplugindocs. A missing
// description, example or subcategory is an error, and so is an example
// or a subcategory of an unknown type.
//
// Elsewhere: descriptions are doc comments in resources/, which cmd/describe
// adds to the schema; tests of resources/ run the examples.
package main
