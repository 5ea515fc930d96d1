// Package muxed serves the provider of package legacy together with a part that has
// already migrated to terraform-plugin-framework: several servers behind one address,
// with either protocol, one of them translated.
package muxed
