package diag

import (
	"fmt"
	"path/filepath"
	goruntime "runtime"
	"strings"
)

// PanicSite returns the file and line of the panic in progress, such as "thing.go:12". It
// must be called from the deferred function that recovers, or from a function that this one
// calls. It returns an empty string if there is no panic.
func PanicSite() string {
	pcs := make([]uintptr, 64)
	frames := goruntime.CallersFrames(pcs[:goruntime.Callers(2, pcs)])
	for panicking := false; ; {
		frame, more := frames.Next()
		switch {
		case frame.Function == "runtime.gopanic":
			panicking = true
		case panicking && !strings.HasPrefix(frame.Function, "runtime."):
			return fmt.Sprintf("%s:%d", filepath.Base(frame.File), frame.Line)
		}
		if !more {
			return ""
		}
	}
}
