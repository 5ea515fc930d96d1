package lang_test

import (
	goruntime "runtime"
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/engine/lang"
)

// TestSchemasAreCollected checks that the caches of decoding do not keep a schema in
// memory.
func TestSchemasAreCollected(t *testing.T) {
	t.Parallel()
	collected := make(chan struct{})
	func() {
		schema := everything()
		schema.Attributes["secret"] = &configschema.Attribute{Type: schema.Attributes["s"].Type, Optional: true, Sensitive: true}
		v, _ := lang.DecodeBody(&hclsyntax.Body{}, schema, nil)
		lang.SensitivePaths(schema, v)
		goruntime.AddCleanup(schema, func(done chan struct{}) { close(done) }, collected)
	}()
	for range 100 {
		goruntime.GC()
		select {
		case <-collected:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	t.Error("the schema is still in memory")
}
