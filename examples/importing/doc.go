// Package importing has a configuration that takes over what a machine has, a query
// that finds it, and a test that does what its README says.
package importing
