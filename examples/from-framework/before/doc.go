// Package before is the provider of the example on terraform-plugin-framework.
package before
