package lang_test

import (
	goruntime "runtime"
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/posixform/terraform-provider-posix/engine/lang"
)

// TestSchemasAreCollected checks that the decoders do not keep a schema in memory.
func TestSchemasAreCollected(t *testing.T) {
	t.Parallel()
	collected := make(chan struct{})
	func() {
		schema := everything()
		lang.DecodeBody(&hclsyntax.Body{}, schema, nil)
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
