package runtime

import "testing"

func TestIsAttributeName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a", "_", "name", "owner_id", "sha256", "_x9", "z"} {
		if !isAttributeName(name) {
			t.Errorf("isAttributeName(%q) = false, want true", name)
		}
	}
	for _, name := range []string{"", "9", "2nd", "Name", "owner-id", "a b", "é", "a.b", "nameZ", "a\n"} {
		if isAttributeName(name) {
			t.Errorf("isAttributeName(%q) = true, want false", name)
		}
	}
}
