package runtime_test

import (
	"strings"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/runtime"
)

func TestJSONEquals(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":2}`, ` { "b" : 2, "a" : 1 } `, true},
		{`[1,2]`, `[2,1]`, false},
		{`1.0`, `1`, false}, // different text, possibly a different value
		{`12345678901234567890`, `12345678901234567891`, false},
		{`"a"`, `"\u0061"`, true},
		{`null`, `{}`, false},
		{`{`, `{`, false},
		{`1`, `1 2`, false},
	} {
		if got := runtime.JSON(test.a).SemanticEquals(runtime.JSON(test.b)); got != test.want {
			t.Errorf("%s and %s: %v", test.a, test.b, got)
		}
	}
	var j runtime.JSON
	if err := j.UnmarshalText([]byte(`{"a"}`)); err == nil || !strings.Contains(err.Error(), "jsonencode") {
		t.Errorf("invalid JSON is accepted: %v", err)
	}
}

func TestDuration(t *testing.T) {
	var d runtime.Duration
	if err := d.UnmarshalText([]byte("1h30m")); err != nil || time.Duration(d) != 90*time.Minute {
		t.Errorf("%v, %v", d, err)
	}
	if text, err := d.MarshalText(); err != nil || string(text) != "1h30m0s" {
		t.Errorf("%s, %v", text, err)
	}
	for _, bad := range []string{"", "10", "-1s", "soon"} {
		if err := d.UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q is accepted as a duration", bad)
		}
	}
}
