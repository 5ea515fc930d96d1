// Package before is the part of the example's provider that uses terraform-plugin-framework and SDKv2.
package before
