// Package webserver has a configuration that makes a web server of a bare system,
// and a test that does what its README says.
package webserver
