// Package before is the provider of the example on terraform-plugin-framework and SDKv2.
package before
