package shop_test

import (
	"testing"

	"example.com/from-framework/shop"
)

// TestPut checks that the first object of a table can be put, as by an update in a process that has created no object.
func TestPut(t *testing.T) {
	t.Parallel()
	var table shop.Table[string]
	table.Put("7", "a")
	if row, ok := table.Get("7"); !ok || row != "a" {
		t.Errorf("Get returned %q, %t, want a, true", row, ok)
	}
}
