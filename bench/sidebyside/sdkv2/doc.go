// Package sdkv2 has the site resource of package sidebyside on terraform-plugin-sdk/v2,
// with its own validators, as its documentation advises.
package sdkv2
