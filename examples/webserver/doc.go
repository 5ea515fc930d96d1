// Package webserver has a configuration that sets up a web server on a bare system, and
// a test that runs the commands of its README.
package webserver
