// Package after is the provider of the example on package runtime.
package after
