// Package framework has the site resource of package sidebyside on
// terraform-plugin-framework, with the validators, types and timeouts that are
// published for it, as its documentation advises.
package framework
