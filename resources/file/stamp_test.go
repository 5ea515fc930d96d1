package file_test

import (
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

// TestChangedAfterPlan checks that an update does not replace content that the plan did not show.
func TestChangedAfterPlan(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		old, changed attrs
		edited       string // content that is written after the plan was made
		refused      bool
		noStamp      bool // whether the state is of an older version, which stored no stamp
	}{
		"edited":               {attrs{"content": str("one")}, attrs{"content": str("two")}, "by hand", true, false},
		"edited, same size":    {attrs{"content": str("one")}, attrs{"content": str("two")}, "wan", true, false},
		"without a stamp":      {attrs{"content": str("one")}, attrs{"content": str("two")}, "by hand", true, true},
		"touched":              {attrs{"content": str("one")}, attrs{"content": str("two")}, "one", false, false},
		"as wanted":            {attrs{"content": str("one")}, attrs{"content": str("two")}, "two", false, false},
		"write-only":           {attrs{"content_wo": str("one"), "content_wo_version": str("1")}, attrs{"content_wo": str("two"), "content_wo_version": str("2")}, "by hand", true, false},
		"write-only, no stamp": {attrs{"content_wo": str("one"), "content_wo_version": str("1")}, attrs{"content_wo": str("two"), "content_wo_version": str("2")}, "by hand", true, true},
		"write-only, touched":  {attrs{"content_wo": str("one"), "content_wo_version": str("1")}, attrs{"content_wo": str("two"), "content_wo_version": str("2")}, "one", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := resourcetest.NewHost(nil)
			o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_file")
			tt.old["path"], tt.changed["path"] = str("/o"), str("/o")
			o.Apply(tt.old)
			plan := o.Plan(tt.changed)
			resourcetest.NoErrors(t, plan.Diagnostics)
			if tt.noStamp {
				plan.PlannedPrivate = []byte(strings.Replace(string(plan.PlannedPrivate), "stamp", "other", 1))
			}
			time.Sleep(time.Until(modified(t, h).Truncate(time.Second).Add(time.Second))) // stamps have a resolution of a second
			resourcetest.WriteOn(t, h, "/o", tt.edited)
			diags := o.ApplyPlan(tt.changed, plan)
			if !tt.refused {
				resourcetest.NoErrors(t, diags)
				wantOn(t, h, "two")
				return
			}
			resourcetest.WantError(t, diags, "path", "the content of /o on host town was changed after the plan was made", "Create a new plan")
			wantOn(t, h, tt.edited)
			o.Apply(tt.changed) // with a refresh and a new plan
		})
	}
}

// TestStampOfState checks that the stamp is that of the content in the state: an update detects
// changes that are newer than the content in the state.
func TestStampOfState(t *testing.T) {
	t.Parallel()
	one, two := attrs{"path": str("/o"), "content": str("one")}, attrs{"path": str("/o"), "content": str("two")}
	for name, skip := range map[string]func(t *testing.T, o *resourcetest.Object, edit func(), fail *bool){
		"a read that keeps the state": func(t *testing.T, o *resourcetest.Object, edit func(), fail *bool) {
			t.Helper()
			edit()
			*fail = true
			resourcetest.NoErrors(t, o.Read())
			*fail = false
		},
		"an update of the mode": func(t *testing.T, o *resourcetest.Object, edit func(), _ *bool) {
			t.Helper()
			changed := attrs{"path": str("/o"), "content": str("one"), "mode": str("0600")}
			plan := o.Plan(changed)
			edit()
			resourcetest.NoErrors(t, o.ApplyPlan(changed, plan))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var fail bool
			reads := 0
			h := resourcetest.NewHost(func(op, _ string) error {
				if !fail || op != "Open" {
					return nil
				}
				if reads++; reads == 1 { // the read for the digest
					return nil
				}
				return &host.UnsafeLinkError{Dir: "/", UID: 7}
			})
			o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_file")
			o.Apply(one)
			skip(t, o, func() { resourcetest.WriteOn(t, h, "/o", "by hand") }, &fail)
			resourcetest.WantError(t, o.ApplyPlan(two, o.Plan(two)), "path", "was changed after the plan was made")
			wantOn(t, h, "by hand")
		})
	}
}

// TestNewlyFollowed checks that an update that sets follow_links does not compare the file with
// the state, because the refresh did not follow the links.
func TestNewlyFollowed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		content string
		change  func(t *testing.T, h host.Host)
	}{
		"edited":                       {"two", func(t *testing.T, h host.Host) { t.Helper(); resourcetest.WriteOn(t, h, "/o", "by hand") }},
		"removed":                      {"two", func(t *testing.T, h host.Host) { t.Helper(); resourcetest.Must(t, h.Remove(t.Context(), "/o")) }},
		"removed, content as in state": {"one", func(t *testing.T, h host.Host) { t.Helper(); resourcetest.Must(t, h.Remove(t.Context(), "/o")) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := resourcetest.NewHost(nil)
			o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_file")
			o.Apply(attrs{"path": str("/o"), "content": str("one")})
			tt.change(t, h)
			changed := attrs{"path": str("/o"), "content": str(tt.content), "follow_links": cty.True}
			resourcetest.NoErrors(t, o.ApplyPlan(changed, o.Plan(changed)))
			wantOn(t, h, tt.content)
		})
	}
}

func wantOn(t *testing.T, h host.Host, content string) {
	t.Helper()
	_, r, err := h.Open(t.Context(), "/o")
	resourcetest.Must(t, err)
	got, err := io.ReadAll(r)
	resourcetest.Must(t, err, r.Close())
	if string(got) != content {
		t.Errorf("the file /o has %q, want %q", got, content)
	}
}

var privateStamp = regexp.MustCompile(`^\{"data":\{"stamp":"[A-Za-z0-9+/=]+"\}\}$`)

// onlyStamp reports whether private data has the stamp and nothing else.
func onlyStamp(private []byte) bool { return privateStamp.Match(private) }

// modified returns the modification time of the file.
func modified(t *testing.T, h host.Host) time.Time {
	t.Helper()
	info, err := h.Lstat(t.Context(), "/o")
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime
}
