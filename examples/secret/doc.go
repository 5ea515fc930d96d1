// Package secret has a configuration that rotates a password, which is in neither the plan
// nor the state, and a test that runs the commands of its README.
package secret
