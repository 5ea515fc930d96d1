//go:build unix && !aix && !solaris

package local_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
)

// BenchmarkWriteFiles writes 1,000 files of 1 KiB into one directory. Terraform writes ten
// at a time. For comparison, the benchmark also measures writing in place, which is neither
// atomic nor durable.
func BenchmarkWriteFiles(b *testing.B) {
	h, _ := newBenchHost(b)
	mode := host.Mode(0o644)
	writers := []struct {
		name  string
		write func(path string, content []byte) error
	}{
		{"sync", func(path string, content []byte) error {
			_, err := h.WriteFile(b.Context(), path, bytes.NewReader(content), host.WriteOptions{Attributes: host.Attributes{Mode: &mode}})
			return err
		}},
		{"nosync", func(path string, content []byte) error {
			_, err := h.WriteFile(b.Context(), path, bytes.NewReader(content), host.WriteOptions{Attributes: host.Attributes{Mode: &mode}, NoSync: true})
			return err
		}},
		{"plain", func(path string, content []byte) error { return os.WriteFile(path, content, 0o644) }},
	}
	for _, w := range writers {
		for _, parallel := range []int{1, 10} {
			for _, what := range []string{"new", "replace"} {
				b.Run(fmt.Sprintf("%s/%s/parallel=%d", w.name, what, parallel), func(b *testing.B) {
					b.ReportAllocs()
					content := bytes.Repeat([]byte("x"), 1024)
					var dir string
					const files = 1000
					for round := 0; b.Loop(); round++ {
						if what == "new" || round == 0 {
							dir = b.TempDir()
						}
						var all sync.WaitGroup
						for worker := range parallel {
							all.Go(func() {
								for i := worker; i < files; i += parallel {
									if err := w.write(filepath.Join(dir, fmt.Sprint(i)), content); err != nil {
										b.Error(err)
										return
									}
								}
							})
						}
						all.Wait()
					}
					b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*files), "µs/file")
				})
			}
		}
	}
}

func BenchmarkLstat(b *testing.B) {
	h, dir := newBenchHost(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := h.Lstat(b.Context(), dir); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDigest(b *testing.B) {
	h, dir := newBenchHost(b)
	for _, size := range []int{1 << 10, 64 << 10, 16 << 20} {
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
			path := filepath.Join(dir, fmt.Sprint(size))
			if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := host.Digest(b.Context(), h, path); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
