package host_test

import (
	"encoding"
	"errors"
	"strconv"
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
		{name: "unchanged", attrs: host.Attributes{Mode: new(is), UID: new(uint32(1)), GID: new(uint32(2))}},
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
			t.Errorf("%s: OtherOwner = %v, want %v", tt.name, got, tt.other)
		}
	}
	cause := errors.New("not permitted")
	err := host.Attributes{UID: new(uint32(5))}.OwnerError(cause)
	if want := "set owner (user 5, group unchanged): not permitted"; !errors.Is(err, cause) || err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
}

var (
	_ encoding.TextMarshaler   = host.Mode(0)
	_ encoding.TextUnmarshaler = (*host.Mode)(nil)
)

func TestParseMode(t *testing.T) {
	t.Parallel()
	good := map[string]host.Mode{
		"644": 0o644, "0644": 0o644, "000": 0, "0000": 0, "007": 7, "0007": 7, "777": 0o777, "4755": 0o4755,
		"2755": 0o2755, "1777": 0o1777, "7777": 0o7777,
	}
	for text, want := range good {
		if got, err := host.ParseMode(text); err != nil || got != want {
			t.Errorf("%q is %v, %v; want %v", text, got, err, want)
		}
	}
	bad := []string{
		"", "0", "7", "44", "8", "648", "0888", "00644", "77777", "u+x", "rwxr-xr-x", "+644", "-644", "+44", " 644",
		"644 ", "64 4", "6 44", "0o644", "0x1ff", "o644", "644\n", "644\x00", "٦٤٤", "６４４", "1e3", "6_44", "0.44",
	}
	for _, text := range bad {
		got, err := host.ParseMode(text)
		var modeErr *host.ModeError
		if !errors.As(err, &modeErr) || modeErr.Text != text {
			t.Errorf("%q: got mode %v, error %v, want a *host.ModeError", text, got, err)
		}
	}
}

func TestShared(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ a, b, want host.Mode }{
		{0o755, 0o640, 0o640},
		{0o4755, 0o4755, 0o755},
		{0o2775, 0o2775, 0o775},
		{0o1777, 0o1777, 0o1777},
		{0o1777, 0o755, 0o1755},
		{0o7777, 0, 0o1000},
	} {
		if got, back := tt.a.Shared(tt.b), tt.b.Shared(tt.a); got != tt.want || back != tt.want {
			t.Errorf("%s and %s share %s and %s, want %s", tt.a, tt.b, got, back, tt.want)
		}
	}
}

func TestModeText(t *testing.T) {
	t.Parallel()
	for mode := range host.ModeMask + 1 {
		text, err := mode.MarshalText()
		if err != nil || len(text) != 4 || string(text) != mode.String() {
			t.Fatalf("mode %o is marshaled as %q (error %v), want %q", uint32(mode), text, err, mode.String())
		}
		var back host.Mode
		if err := back.UnmarshalText(text); err != nil || back != mode {
			t.Fatalf("%s is read as %v (error %v), want %v", text, back, err, mode)
		}
	}
	for _, mode := range []host.Mode{host.ModeMask + 1, 0o100644, 1 << 31} {
		if text, err := mode.MarshalText(); err == nil {
			t.Errorf("mode %o is marshaled as %q, want an error", uint32(mode), text)
		}
	}
	kept := host.Mode(0o600)
	if err := kept.UnmarshalText([]byte("rw")); err == nil || kept != 0o600 {
		t.Errorf("after UnmarshalText the mode is %v, error %v, want 0600 and an error", kept, err)
	}
}

// FuzzParseMode checks that texts of three or four octal digits, and no others, are valid, and that
// their modes have the octal value and print with four digits.
func FuzzParseMode(f *testing.F) {
	for _, seed := range []string{"644", "0644", "4755", "8", "77777", "u+x", "+44", " 644", "0o64"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		mode, err := host.ParseMode(text)
		digits := strings.Trim(text, "01234567") == ""
		if lawful := digits && (len(text) == 3 || len(text) == 4); lawful != (err == nil) {
			t.Fatalf("%q is %v (error %v), want a valid mode: %t", text, mode, err, lawful)
		}
		if err != nil {
			return
		}
		n, err := strconv.ParseUint(text, 8, 32)
		if err != nil || uint64(mode) != n {
			t.Errorf("%q is %v, want %o (error %v)", text, mode, n, err)
		}
		if got := mode.String(); len(got) != 4 || strings.TrimPrefix(got, "0") != strings.TrimPrefix(text, "0") && len(text) == 4 {
			t.Errorf("%q prints as %q, want four digits with the same value", text, got)
		}
	})
}
