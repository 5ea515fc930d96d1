package resourcetest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/directorylist"
	"github.com/posixform/terraform-provider-posix/resources/file"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// TestQuery checks that list blocks may have arguments and several instances, and refer to each other.
func TestQuery(t *testing.T) {
	t.Parallel()
	h := memory.New(memory.Config{Name: host.LocalName})
	for _, path := range []string{"/a.conf", "/b.conf"} {
		_, err := h.WriteFile(context.Background(), path, strings.NewReader(path), host.WriteOptions{})
		resourcetest.Must(t, err)
	}
	types := runtime.Definition{
		Resources: map[string]runtime.ResourceRegistration{"file": file.Resource()},
		Lists:     map[string]runtime.ListRegistration{"file": directorylist.Files()},
	}
	found := resourcetest.Query(t, resourcetest.ProviderOn(types, func() (host.Host, error) { return h, nil }), `
list "posix_file" "first" {
  provider         = posix
  include_resource = true
  limit            = 1

  config {
    path = "/"
  }
}

list "posix_file" "each" {
  provider = posix
  count    = 2

  config {
    path    = "/"
    pattern = "${["b", basename(list.posix_file.first.data[0].state.path)][count.index]}*"
  }
}
`)
	if got := found["first"]; len(got) != 1 || got[0].Name != "local:/a.conf" || !got[0].Object.GetAttr("content").RawEquals(cty.StringVal("/a.conf")) {
		t.Errorf("first: got %+v, want only local:/a.conf with its content", got)
	}
	got := found["each"]
	if len(got) != 2 || !got[0].Object.IsNull() {
		t.Fatalf("each: got %+v, want two results, the first without an object", got)
	}
	for i, path := range []string{"/b.conf", "/a.conf"} {
		if id := got[i].Identity.GetAttr("path"); !id.RawEquals(cty.StringVal(path)) {
			t.Errorf("each[%d]: got path %#v, want %s", i, id, path)
		}
	}
}
