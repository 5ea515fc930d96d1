package configs

import "github.com/hashicorp/hcl/v2"

// checkTree checks what only shows between modules.
func checkTree(root *Config) hcl.Diagnostics {
	_ = root
	return nil
}
