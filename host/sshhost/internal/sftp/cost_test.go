package sftp_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftp"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftptest"
)

func TestRoundTrips(t *testing.T) {
	t.Parallel()
	conn := &sftptest.Tap{Server: sftptest.Start(t), Quiet: 20 * time.Millisecond}
	c, dir := connect(t, conn), t.TempDir()
	if err := writeFile(t, c, dir+"/first", strings.NewReader("")); err != nil { // the limits are known from here on
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		want int
		do   func() error
	}{
		{"small write", 3, func() error { return writeFile(t, c, dir+"/a", strings.NewReader(strings.Repeat("x", 1024))) }},
		{"large write", 3, func() error { return writeFile(t, c, dir+"/b", bytes.NewReader(make([]byte, 1<<20))) }},
		{"read", 2, func() error {
			f, err := c.Batch().Open(dir+"/b", sftp.Read, sftp.Attrs{}).Do(t.Context())
			if err != nil {
				return err
			}
			r := c.NewReader(t.Context(), f, 0, 1<<20)
			_, err = io.Copy(io.Discard, r)
			return errors.Join(err, r.Close())
		}},
		{"list a small directory", 2, func() error { _, err := readDir(t.Context(), c, dir); return err }},
		{"batch of 100 requests", 1, func() error {
			b := c.Batch()
			for range 100 {
				b.Lstat(dir)
			}
			return errors.Join(b.Do(t.Context()), b.First())
		}},
	} {
		least, err := conn.Least(tt.want, tt.do)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if least != tt.want {
			t.Errorf("%s took %d round trips, want %d", tt.name, least, tt.want)
		}
	}
}

// writeFile writes a temporary file, and renames it to path only if everything succeeded.
func writeFile(tb testing.TB, c *sftp.Client, path string, content io.Reader) error {
	tb.Helper()
	temp := path + ".temp"
	b := c.Batch()
	open, _ := b.Open(temp, sftp.Write|sftp.Create|sftp.Excl, sftp.WithMode(0o600)), b.Lstat(temp)
	if err := errors.Join(b.Do(tb.Context()), b.First()); err != nil {
		return err
	}
	f := open.Value
	b = c.Batch()
	b.WriteFrom(f, content)
	b.Fsetstat(f, sftp.WithMode(0o640))
	b.Fsync(f)
	b.Fstat(f)
	b.Close(f)
	if err := errors.Join(b.Do(tb.Context()), b.First()); err != nil {
		return err
	}
	_, err := c.Batch().PosixRename(temp, path).Do(tb.Context())
	return err
}

func BenchmarkLstat(b *testing.B) {
	c, dir := start(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Batch().Lstat(dir).Do(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWrite1KiB(b *testing.B) {
	c, dir := start(b)
	content := bytes.NewReader(make([]byte, 1024))
	b.ReportAllocs()
	for b.Loop() {
		content.Reset(make([]byte, 1024))
		if err := writeFile(b, c, dir+"/file", content); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkContent(b *testing.B) {
	const size = 64 << 20
	for _, flags := range [][]string{nil, {"-P", "limits"}} {
		c, dir := start(b, flags...)
		content := make([]byte, size)
		b.Run(fmt.Sprintf("write %v", flags), func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				batch := c.Batch()
				open := batch.Open(dir+"/file", sftp.Write|sftp.Create|sftp.Trunc, sftp.WithMode(0o600))
				f := do(b, open)
				batch = c.Batch()
				batch.WriteFrom(f, bytes.NewReader(content))
				batch.Close(f)
				if err := errors.Join(batch.Do(b.Context()), batch.First()); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("read %v", flags), func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			buffer := make([]byte, 64<<10)
			for b.Loop() {
				r := c.NewReader(b.Context(), do(b, c.Batch().Open(dir+"/file", sftp.Read, sftp.Attrs{})), 0, size)
				n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, r, buffer)
				if err := errors.Join(err, r.Close()); err != nil || n != size {
					b.Fatal(n, err)
				}
			}
		})
	}
}
