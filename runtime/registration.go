package runtime

import (
	"errors"
	goruntime "runtime"
	"sync"
	"sync/atomic"
)

// registration is a type of one family, compiled when a provider is first built with
// it: a provider may have a thousand types, and each costs some 20 µs at every start
// of its process.
type registration[T any] struct {
	build func() (*T, error) // nil in the zero value
}

// lazily returns a registration that is compiled once, when it is needed.
func lazily[T any](build func() (*T, error)) registration[T] {
	return registration[T]{sync.OnceValues(build)}
}

// compiled returns the compiled type, or the mistakes in it.
func (r registration[T]) compiled() (*T, error) {
	if r.build == nil {
		return nil, errors.New("the registration is empty; use MakeResource, MakeDataSource and so on")
	}
	return r.build()
}

// maxSequential is the number of types up to which they are compiled sequentially.
const maxSequential = 16

// makeAll compiles types on all processors. Their errors and panics are returned to
// the later caller of made.
func makeAll[T any, R interface{ compiled() (*T, error) }](names []string, regs map[string]R) {
	if len(names) < maxSequential {
		return
	}
	var next atomic.Int64
	var working sync.WaitGroup
	for range min(goruntime.GOMAXPROCS(0), len(names)) {
		working.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(names) {
					return
				}
				func() {
					defer func() { _ = recover() }() // it panics again in the caller's goroutine
					_, _ = regs[names[i]].compiled()
				}()
			}
		})
	}
	working.Wait()
}
