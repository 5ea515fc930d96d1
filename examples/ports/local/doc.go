// Package localport is a port of the published provider hashicorp/local to package runtime:
// two resource types, three data sources, an ephemeral resource, an action and a function,
// with the same schema.
//
// It is written from the documentation of that provider and from the expectations of its
// acceptance tests, which run against the port. ../README.md lists what differs.
//
// Elsewhere: internal/peers/published runs the tests; terraform-provider-local is the program.
package localport
