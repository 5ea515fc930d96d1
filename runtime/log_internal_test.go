package runtime

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/posixform/terraform-provider-posix/provider"
)

// TestLogOfPanic checks that an operation that ends with a panic of the runtime itself, which
// package guard recovers, is not logged as successful.
func TestLogOfPanic(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	ctx := tflogtest.RootLogger(t.Context(), &log)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("ReadDataSource did not panic")
			}
		}()
		logged{}.ReadDataSource(ctx, provider.ReadDataSourceRequest{TypeName: "test_it"}) // there is no server
	}()
	if text := log.String(); !strings.Contains(text, `"outcome":"panic"`) {
		t.Errorf("the log is %s, want the outcome panic", text)
	}
}
