package mounttable_test

import (
	"testing"

	"github.com/posixform/terraform-provider-posix/resources/mounttable"
)

func TestUnescape(t *testing.T) {
	t.Parallel()
	for field, want := range map[string]string{
		"/srv":            "/srv",
		`/a\040b`:         "/a b",
		`\011\012\040`:    "\t\n ",
		`/a\134040`:       `/a\040`, // a backslash in the name
		`/\303\244`:       "/ä",
		`/a\400`:          `/a\400`, // more than a byte
		`/a\08`:           `/a\08`,
		`\04`:             `\04`,
		`back\slash\`:     `back\slash\`,
		`/a\040\040b\040`: "/a  b ",
	} {
		if got := mounttable.Unescape(field); got != want {
			t.Errorf("%q is %q, want %q", field, got, want)
		}
	}
}
