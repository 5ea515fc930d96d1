// Package after is the part of the example's provider that uses package runtime.
package after
