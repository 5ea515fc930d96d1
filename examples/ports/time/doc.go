// Package timeport is a port of the published provider hashicorp/time to package runtime:
// its four resource types and three functions, with the same schema.
//
// It is written from the documentation of that provider and from the expectations of its
// acceptance tests, which run against the port. ../README.md lists what differs.
//
// Elsewhere: internal/peers/published runs the tests; terraform-provider-time is the program.
package timeport
