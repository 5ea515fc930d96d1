package resourcetest

import (
	"fmt"
	"strings"
	"testing"
)

// Imports looks whether the examples of imports of a type, in dir as
// "resources/posix_user", are of this object: a life imports it in the same ways.
func Imports(t *testing.T, dir, address, id string) {
	t.Helper()
	if got, want := ExampleFile(t, dir+"/import.sh"), fmt.Sprintf("terraform import %s %s\n", address, id); got != want {
		t.Errorf("%s/import.sh is %q, want %q", dir, got, want)
	}
	for name, words := range map[string]string{"import-by-string-id.tf": fmt.Sprintf("id = %q", id), "import-by-identity.tf": "identity = {"} {
		text := strings.Join(strings.Fields(ExampleFile(t, dir+"/"+name)), " ")
		if !strings.HasPrefix(text, "import { to = "+address+" ") || !strings.Contains(text, words) {
			t.Errorf("%s/%s is not an import of %s with %s", dir, name, address, words)
		}
	}
}
