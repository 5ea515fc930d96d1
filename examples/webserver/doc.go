// Package webserver has a configuration that sets up a web server on a new host, and
// a test that runs the commands of its README.
package webserver
