//go:build !unix

package files

// alive can not be told here: what is left over is found by its age.
func alive(int) bool { return true }
