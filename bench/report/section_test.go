package report_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/posixform/terraform-provider-posix/bench/report"
)

func TestReplace(t *testing.T) {
	t.Parallel()
	const filled = "# Title\n\n<!-- begin rpc -->\nold\n<!-- end rpc -->\n\ntail\n"
	tests := map[string]struct {
		page, body, want string
	}{
		"empty page":     {page: "", body: "new\n", want: "<!-- begin rpc -->\nnew\n<!-- end rpc -->\n"},
		"other sections": {page: "a", body: "new", want: "a\n<!-- begin rpc -->\nnew\n<!-- end rpc -->\n"},
		"replaced":       {page: filled, body: "new\n\n", want: "# Title\n\n<!-- begin rpc -->\nnew\n<!-- end rpc -->\n\ntail\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := report.Replace(tt.page, "rpc", tt.body)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("page (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReplaceUnfinishedSection(t *testing.T) {
	t.Parallel()
	if got, err := report.Replace("<!-- begin rpc -->\nold\n", "rpc", "new"); err == nil {
		t.Errorf("a section without an end comment was replaced, want an error: %q", got)
	}
}
