// Package importing has a configuration that imports the objects of a host, a query that
// lists them, and a test that runs the commands of its README.md.
package importing
