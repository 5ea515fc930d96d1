// Command demo is a provider with the resource of package note. Terraform and
// OpenTofu find it when it is built as terraform-provider-demo.
package main
