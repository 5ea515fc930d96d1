package diag

import (
	"fmt"
	"path/filepath"
	goruntime "runtime"
	"strings"
)

// PanicSite returns where the code panicked whose panic the caller, or a function that
// called it, recovers: the file and line, such as "thing.go:12". It is empty if nothing
// panics.
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
