package runtime

import (
	"errors"
	goruntime "runtime"
	"sync"
	"sync/atomic"
)

// registration is a type of one family, which is compiled when a provider is
// first built with it: a provider may have a thousand types, and each costs some
// 20 µs at every start of its process.
type registration[T any] struct {
	build func() (*T, error) // nil in the zero value
}

// later is a registration that is compiled once it is needed, and once only.
func later[T any](build func() (*T, error)) registration[T] {
	return registration[T]{sync.OnceValues(build)}
}

// made is the compiled type, or what is wrong with it.
func (r registration[T]) made() (*T, error) {
	if r.build == nil {
		return nil, errors.New("the registration is empty; use MakeResource, MakeDataSource and so on")
	}
	return r.build()
}

// fewTypes is how many types are compiled one after the other.
const fewTypes = 16

// makeAll compiles types on all processors. Their mistakes, and their panics, are
// for who asks for each of them afterwards.
func makeAll[T any, R interface{ made() (*T, error) }](names []string, regs map[string]R) {
	if len(names) < fewTypes {
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
					defer func() { _ = recover() }() // it comes again, in the caller's own goroutine
					_, _ = regs[names[i]].made()
				}()
			}
		})
	}
	working.Wait()
}
