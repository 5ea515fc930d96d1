package addrs_test

import (
	"testing"

	"github.com/posixform/terraform-provider-posix/addrs"
)

func TestTargetContains(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		target, instance string
		want, wantConfig bool
	}{
		{"a.b", "a.b", true, true},
		{"a.b", "a.b[1]", true, true},
		{"a.b", `a.b["x"]`, true, true},
		{"a.b[1]", "a.b[1]", true, true},
		{"a.b[1]", "a.b[2]", false, true},
		{"a.b[1]", "a.b", false, true},
		{"a.b", "a.c", false, false},
		{"a.b", "data.a.b", false, false},
		{"data.a.b", "data.a.b", true, true},
		{"a.b", "module.m.a.b", false, false},
		{"module.m", "module.m.a.b", true, true},
		{"module.m", "module.m[0].a.b", true, true},
		{"module.m", `module.m["k"].module.n[1].a.b`, true, true},
		{"module.m", "a.b", false, false},
		{"module.m", "module.n.a.b", false, false},
		{"module.m[0]", "module.m[0].a.b", true, true},
		{"module.m[0]", "module.m[1].a.b", false, true},
		{"module.m[0]", "module.m.a.b", false, true},
		{"module.m.module.n", "module.m.module.n[1].a.b", true, true},
		{"module.m.module.n", "module.m[0].module.n[1].a.b", false, true},
		{"module.m[0].a.b", "module.m[0].a.b[3]", true, true},
		{"module.m[0].a.b", "module.m[1].a.b[3]", false, true},
		{"module.m.a.b", "module.m.module.n.a.b", false, false},
	} {
		target, err := addrs.ParseTargetStr(tt.target)
		if err != nil {
			t.Fatal(err)
		}
		instance, err := addrs.ParseAbsResourceInstanceStr(tt.instance)
		if err != nil {
			t.Fatal(err)
		}
		if got := target.Contains(instance); got != tt.want {
			t.Errorf("%s contains %s: %t, want %t", tt.target, tt.instance, got, tt.want)
		}
		if got := target.ContainsConfig(instance.ConfigResource()); got != tt.wantConfig {
			t.Errorf("%s may contain an instance of %s: %t, want %t", tt.target, instance.ConfigResource(), got, tt.wantConfig)
		}
	}
}
