package host_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
)

func TestAttributes(t *testing.T) {
	t.Parallel()
	const is = host.Mode(0o644)
	for _, tt := range []struct {
		name     string
		attrs    host.Attributes
		check    string // substrings of the errors; empty for none
		accepted string
		other    bool
	}{
		{name: "none"},
		{name: "as it is", attrs: host.Attributes{Mode: new(is), UID: new(uint32(1)), GID: new(uint32(2))}},
		{name: "mode", attrs: host.Attributes{Mode: new(host.Mode(0o4755))}, accepted: "mode 0644 instead of 4755"},
		{name: "no mode", attrs: host.Attributes{Mode: new(host.Mode(0o10000))}, check: "10000", accepted: "mode 0644"},
		{name: "user", attrs: host.Attributes{UID: new(uint32(0))}, accepted: "UID 1 instead of setting 0", other: true},
		{name: "group", attrs: host.Attributes{GID: new(uint32(3))}, accepted: "GID 2 instead of setting 3", other: true},
	} {
		for what, got := range map[string]struct {
			err  error
			want string
		}{"Check": {tt.attrs.Check(), tt.check}, "Accepted": {tt.attrs.Accepted(is, 1, 2), tt.accepted}} {
			if (got.err == nil) != (got.want == "") || got.err != nil && !strings.Contains(got.err.Error(), got.want) {
				t.Errorf("%s: %s: error %v, want %q", tt.name, what, got.err, got.want)
			}
		}
		if got := tt.attrs.OtherOwner(1, 2); got != tt.other {
			t.Errorf("%s: OtherOwner = %v", tt.name, got)
		}
	}
	cause := errors.New("not permitted")
	err := host.Attributes{UID: new(uint32(5))}.OwnerError(cause)
	if want := "set owner (user 5, group unchanged): not permitted"; !errors.Is(err, cause) || err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
}
