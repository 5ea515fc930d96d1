package diag_test

import (
	"regexp"
	"testing"

	"github.com/posixform/terraform-provider-posix/diag"
)

func TestPanicSite(t *testing.T) {
	t.Parallel()
	recovered := func(f func()) (site string) {
		defer func() {
			if recover() != nil {
				func() { site = diag.PanicSite() }()
			}
		}()
		f()
		return site
	}
	var none map[string]*int
	for name, f := range map[string]func(){
		"its own":        func() { panic("hush") },
		"of the runtime": func() { *none["a"] = 1 },
	} {
		if got := recovered(f); !regexp.MustCompile(`^panic_test\.go:2[0-9]$`).MatchString(got) {
			t.Errorf("%s: got %q, want the line of the panic", name, got)
		}
	}
	if got := diag.PanicSite(); got != "" {
		t.Errorf("without a panic: got %q, want an empty string", got)
	}
}
