package sftp_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftp"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// everyExtension has all extensions but limits@openssh.com: with that extension, the client
// would send a request before the test does.
var everyExtension = []string{
	"posix-rename@openssh.com", "1", "hardlink@openssh.com", "1", "fsync@openssh.com", "1", "lsetstat@openssh.com", "1",
	"statvfs@openssh.com", "2", "users-groups-by-id@openssh.com", "1",
}

// hello returns the version packet of a server.
func hello(offers []string) []byte {
	body := []byte{2, 0, 0, 0, 3}
	for _, s := range offers {
		body = append(binary.BigEndian.AppendUint32(body, uint32(len(s))), s...)
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

// packet returns a reply packet.
func packet(kind byte, id uint32, body ...byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(5+len(body)))
	return append(binary.BigEndian.AppendUint32(append(b, kind), id), body...)
}

func ok(id uint32) []byte { return packet(101, id, make([]byte, 12)...) }

// fake returns a client of a server that replies to each request with the result of answer,
// and ends if that is nil.
func fake(tb testing.TB, answer func(kind byte, id uint32, body []byte) []byte) *sftp.Client {
	tb.Helper()
	return fakeWith(tb, false, answer)
}

func fakeWith(tb testing.TB, limits bool, answer func(kind byte, id uint32, body []byte) []byte) *sftp.Client {
	tb.Helper()
	offers := everyExtension
	if limits {
		offers = []string{"limits@openssh.com", "1"}
	}
	ours, theirs := net.Pipe()
	go func() {
		defer theirs.Close()
		_, _ = io.ReadFull(theirs, make([]byte, 9))
		_, _ = theirs.Write(hello(offers))
		head := make([]byte, 9)
		for {
			if _, err := io.ReadFull(theirs, head); err != nil {
				return
			}
			body := make([]byte, binary.BigEndian.Uint32(head)-5)
			if _, err := io.ReadFull(theirs, body); err != nil {
				return
			}
			sends := answer(head[4], binary.BigEndian.Uint32(head[5:]), body)
			if sends == nil {
				return
			}
			if _, err := theirs.Write(sends); err != nil {
				return
			}
		}
	}()
	return connect(tb, ours)
}

// TestHostileReplies checks that an invalid reply ends the session with an error.
func TestHostileReplies(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		ask    func(ctx context.Context, c *sftp.Client) error
		answer func(id uint32) []byte
	}{
		{"an empty packet", askLstat, func(uint32) []byte { return []byte{0, 0, 0, 0} }},
		{"a short packet", askLstat, func(uint32) []byte { return []byte{0, 0, 0, 4, 101, 0, 0, 0} }},
		{"a huge packet", askLstat, func(uint32) []byte { return []byte{0xff, 0xff, 0xff, 0xff, 105} }},
		{"a packet above the maximum", askLstat, func(uint32) []byte { return []byte{0, 4, 0, 1, 105} }},
		{"a wrong request ID", askLstat, func(id uint32) []byte { return packet(105, id+1, 0, 0, 0, 0) }},
		{"two replies", askTwice, func(id uint32) []byte { return bytes.Repeat(packet(105, id, 0, 0, 0, 0), 2) }},
		{"another type", askLstat, func(id uint32) []byte { return packet(102, id, 0, 0, 0, 0) }},
		{"an unknown type", askLstat, func(id uint32) []byte { return packet(77, id) }},
		{"success without attributes", askLstat, ok},
		{"truncated attributes", askLstat, func(id uint32) []byte { return packet(105, id, 0, 0, 0, 15, 1, 2, 3) }},
		{"endless attributes", askLstat, func(id uint32) []byte { return packet(105, id, 0x80, 0, 0, 0, 0xff, 0xff, 0xff, 0xff) }},
		{"a truncated status", askLstat, func(id uint32) []byte { return packet(101, id, 0, 0) }},
		{"a truncated message", askLstat, func(id uint32) []byte { return packet(101, id, 0, 0, 0, 4, 0xff, 0xff, 0xff, 0xff) }},
		{"no name", askReadlink, func(id uint32) []byte { return packet(104, id, 0, 0, 0, 0) }},
		{"endless names", askReadlink, func(id uint32) []byte { return packet(104, id, 0xff, 0xff, 0xff, 0xff) }},
		{"a truncated handle", askOpen, func(id uint32) []byte { return packet(102, id, 0, 0, 0, 9, 1) }},
		{"a long handle", askOpen, func(id uint32) []byte { return packet(102, id, append([]byte{0, 0, 1, 1}, make([]byte, 257)...)...) }},
		{"empty data", askRead, openThen(packet(103, 0, 0, 0, 0, 0))},
		{"more data than requested", askRead, openThen(packet(103, 0, append([]byte{0, 1, 0, 0}, make([]byte, 1<<16)...)...))},
		{"success without data", askRead, openThen(ok(0))},
		{"data in reply to a write", askWrite, openThen(packet(103, 0, 0, 0, 0, 0))},
		{"too few names", askNames, func(id uint32) []byte { return packet(201, id, make([]byte, 8)...) }},
		{"names in names", askNames, func(id uint32) []byte { return packet(201, id, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) }},
		{"truncated file system info", askStatVFS, func(id uint32) []byte { return packet(201, id, make([]byte, 80)...) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := fake(t, func(_ byte, id uint32, _ []byte) []byte { return tt.answer(id) })
			err := tt.ask(t.Context(), c)
			var broken *sftp.ProtocolError
			if !errors.Is(err, sftp.ErrClosed) || !errors.As(err, &broken) {
				t.Errorf("error %v", err)
			}
			<-c.Done()
		})
	}
}

func askLstat(ctx context.Context, c *sftp.Client) error {
	_, err := c.Batch().Lstat("/x").Do(ctx)
	return err
}

// openThen returns a function that replies to the first request with a handle and to later ones
// with next, in which it sets the ID.
func openThen(next []byte) func(id uint32) []byte {
	return func(id uint32) []byte {
		if id == 1 {
			return packet(102, id, 0, 0, 0, 1, 'h')
		}
		sends := bytes.Clone(next)
		binary.BigEndian.PutUint32(sends[5:], id)
		return sends
	}
}

func askTwice(ctx context.Context, c *sftp.Client) error {
	return errors.Join(askLstat(ctx, c), askLstat(ctx, c))
}

func askReadlink(ctx context.Context, c *sftp.Client) error {
	_, err := c.Batch().Readlink("/x").Do(ctx)
	return err
}

func askOpen(ctx context.Context, c *sftp.Client) error {
	_, err := c.Batch().Open("/x", sftp.Read, sftp.Attrs{}).Do(ctx)
	return err
}

func askNames(ctx context.Context, c *sftp.Client) error {
	_, err := c.Batch().UsersGroups([]uint32{1}, []uint32{2}).Do(ctx)
	return err
}

func askStatVFS(ctx context.Context, c *sftp.Client) error {
	_, err := c.Batch().StatVFS("/x").Do(ctx)
	return err
}

func askList(ctx context.Context, c *sftp.Client) error {
	_, err := readDir(ctx, c, "/x")
	return err
}

func askRead(ctx context.Context, c *sftp.Client) error {
	f, err := c.Batch().Open("/x", sftp.Read, sftp.Attrs{}).Do(ctx)
	if err != nil {
		return err
	}
	r := c.NewReader(ctx, f, 0, 100_000)
	defer r.Close()
	n, err := io.Copy(io.Discard, io.LimitReader(r, 10<<20))
	if err == nil && n == 10<<20 {
		return nil // the file has no end
	}
	return err
}

func askWrite(ctx context.Context, c *sftp.Client) error {
	open := c.Batch().Open("/x", sftp.Write, sftp.Attrs{})
	f, err := open.Do(ctx)
	if err != nil {
		return err
	}
	b := c.Batch()
	up := b.WriteFrom(f, strings.NewReader(strings.Repeat("x", 200_000)))
	b.Fsetstat(f, sftp.WithMode(0o600))
	b.Fsync(f)
	b.Fstat(f)
	b.Close(f)
	return errors.Join(b.Do(ctx), b.First(), up.Err)
}

func askRest(ctx context.Context, c *sftp.Client) error {
	b := c.Batch()
	b.Stat("/x")
	b.Mkdir("/x", sftp.WithMode(0o700))
	b.Rename("/x", "/y")
	b.PosixRename("/x", "/y")
	b.Symlink("x", "/y")
	b.Lsetstat("/x", sftp.WithOwner(1, 2))
	return errors.Join(b.Do(ctx), b.First())
}

// TestEncoding checks that a path and attributes are encoded as the protocol requires.
func TestEncoding(t *testing.T) {
	t.Parallel()
	var got []byte
	c := fake(t, func(_ byte, id uint32, body []byte) []byte {
		got = bytes.Clone(body)
		return ok(id)
	})
	do(t, c.Batch().Mkdir("/p", sftp.Attrs{
		Has:  sftp.HasSize | sftp.HasOwner | sftp.HasMode | sftp.HasTimes,
		Size: 1<<32 + 2, UID: 3, GID: 4, Mode: 5, ATime: 6, MTime: 7,
	}))
	want := []byte{
		0, 0, 0, 2, '/', 'p', 0, 0, 0, 15, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4,
		0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0, 7,
	}
	if !bytes.Equal(got, want) {
		t.Errorf("sent % x, want % x", got, want)
	}
}

// TestShortReads checks that a reader returns the whole file, however little a server
// sends per reply.
func TestShortReads(t *testing.T) {
	t.Parallel()
	content := make([]byte, 300_000)
	for i := range content {
		content[i] = byte(i * 7 / 5)
	}
	for _, most := range []uint64{1000, 4096, 32 << 10} {
		c := fake(t, func(kind byte, id uint32, body []byte) []byte {
			switch kind {
			case 3:
				return packet(102, id, 0, 0, 0, 1, 'h')
			case 4:
				return ok(id)
			}
			body = body[4+binary.BigEndian.Uint32(body):]
			offset := min(binary.BigEndian.Uint64(body), uint64(len(content)))
			part := content[offset:min(offset+min(most, uint64(binary.BigEndian.Uint32(body[8:]))), uint64(len(content)))]
			if len(part) == 0 {
				return packet(101, id, 0, 0, 0, 1)
			}
			return packet(103, id, append(binary.BigEndian.AppendUint32(nil, uint32(len(part))), part...)...)
		})
		for _, presumed := range []uint64{0, 100_000, 300_000, 1_000_000} {
			f := do(t, c.Batch().Open("/x", sftp.Read, sftp.Attrs{}))
			got, err := io.ReadAll(c.NewReader(t.Context(), f, 0, presumed))
			if err != nil || !bytes.Equal(got, content) {
				t.Errorf("%d bytes per reply, presumed size %d: read %d bytes, error %v, want the content of %d bytes",
					most, presumed, len(got), err, len(content))
			}
		}
	}
}

// TestWindow checks that the data in flight of a write is limited, and that content is sent in chunks of
// the size that the server accepts.
func TestWindow(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		limits []byte // nil: the server sends none
		piece  int64
	}{
		{"no limits", nil, 32 << 10},
		{"OpenSSH's", limits(256<<10, 255<<10, 255<<10), 255 << 10},
		{"zero limits", limits(0, 0, 0), 32 << 10},
		{"small limits", limits(34000, 5000, 4000), 4000},
		{"lower packet limit", limits(100_000, 1<<40, 1<<40), 100_000 - 1024},
		{"huge limits", limits(1<<60, 1<<60, 1<<60), 255 << 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var sent, largest atomic.Int64
			quiet := make(chan struct{})
			answer := func(kind byte, id uint32, body []byte) []byte {
				switch kind {
				case 3:
					return packet(102, id, 0, 0, 0, 1, 'h')
				case 200:
					return packet(201, id, tt.limits...)
				}
				n := int64(binary.BigEndian.Uint32(body[13:]))
				largest.Store(max(largest.Load(), n))
				if all := sent.Add(n); all >= 1<<20 && all-n < 1<<20 {
					close(quiet)
				}
				return []byte{} // no reply
			}
			c := fakeWith(t, tt.limits != nil, answer)
			f := do(t, c.Batch().Open("/x", sftp.Write, sftp.Attrs{}))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := make(chan error)
			go func() {
				b := c.Batch()
				b.WriteFrom(f, bytes.NewReader(make([]byte, 16<<20)))
				ended <- b.Do(ctx)
			}()
			<-quiet
			time.Sleep(100 * time.Millisecond)
			cancel()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			_ = c.Close()
			if sent.Load() > 2<<20 || largest.Load() != tt.piece {
				t.Errorf("%d bytes were sent without a reply, in chunks of %d, want at most 2 MiB in chunks of %d", sent.Load(), largest.Load(), tt.piece)
			}
		})
	}
}

func limits(packet, read, write uint64) []byte {
	b := binary.BigEndian.AppendUint64(nil, packet)
	b = binary.BigEndian.AppendUint64(b, read)
	b = binary.BigEndian.AppendUint64(b, write)
	return binary.BigEndian.AppendUint64(b, 1000)
}

// TestEndlessDirectory checks that an endless directory listing is an error.
func TestEndlessDirectory(t *testing.T) {
	t.Parallel()
	tier.CI(t)
	long := strings.Repeat("x", 1<<10)
	for _, names := range [][]byte{listing(slices.Repeat([]string{"x"}, 0x4000)...), listing(slices.Repeat([]string{long}, 200)...)} {
		c := fake(t, func(kind byte, id uint32, _ []byte) []byte {
			switch kind {
			case 11:
				return packet(102, id, 0, 0, 0, 1, 'h')
			case 12:
				return packet(104, id, names...)
			}
			return ok(id)
		})
		if err := askList(t.Context(), c); !errors.Is(err, sftp.ErrDirectoryTooLarge) {
			t.Errorf("error %v", err)
		}
		if err := c.Err(); err != nil {
			t.Errorf("the session ended with error %v, want an open session", err)
		}
	}
}

// listing returns the body of a reply with names without attributes.
func listing(names ...string) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(names)))
	for _, name := range names {
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(name))), name...)
		b = append(b, make([]byte, 8)...)
	}
	return b
}

// TestHostileNames checks that a listed name that cannot be a file name is rejected: with a
// slash, its path could be outside the directory.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "/", "../../etc/passwd", "/etc/passwd", "a/b", "a\x00b", strings.Repeat("x", 250_000)} {
		c := fake(t, func(kind byte, id uint32, _ []byte) []byte {
			if kind == 11 {
				return packet(102, id, 0, 0, 0, 1, 'h')
			}
			return packet(104, id, listing("a", name)...)
		})
		err := askList(t.Context(), c)
		var broken *sftp.ProtocolError
		if !errors.As(err, &broken) || len(err.Error()) > 500 {
			t.Errorf("%.20q: error %.1000v, want a short ProtocolError", name, err)
		}
	}
}

// TestHostileGreetings checks that an invalid version packet is an error.
func TestHostileGreetings(t *testing.T) {
	t.Parallel()
	for _, greeting := range [][]byte{
		{0, 0, 0, 0, 2},
		{0, 0, 0, 1, 2},
		{0, 0, 0, 4, 2, 0, 0, 0},
		{0, 0, 0, 5, 3, 0, 0, 0, 3},
		{0xff, 0xff, 0xff, 0xff, 2},
		{0, 0, 0, 9, 2, 0, 0, 0, 3, 0xff, 0xff, 0xff, 0xff},
		{},
	} {
		ours, theirs := net.Pipe()
		go func() {
			_, _ = io.ReadFull(theirs, make([]byte, 9))
			_, _ = theirs.Write(greeting)
			_ = theirs.Close()
		}()
		c, err := sftp.New(t.Context(), ours)
		if err == nil {
			t.Errorf("%x: no error", greeting)
			_ = c.Close()
		}
	}
}

// FuzzReplies replies to each request with a packet with the correct ID, and a type and body
// from the input.
func FuzzReplies(f *testing.F) {
	f.Add([]byte{101, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Add([]byte{102, 5, 0, 0, 0, 1, 'h', 103, 6, 0, 0, 0, 2, 'a', 'b', 101, 4, 0, 0, 0, 1})
	f.Add([]byte{102, 5, 0, 0, 0, 1, 'h', 104, 16, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 101, 4, 0, 0, 0, 1})
	f.Add([]byte{105, 4, 0, 0, 0, 0, 105, 12, 0x80, 0, 0, 15, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Add([]byte{201, 8, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, input []byte) {
		c := fake(t, func(_ byte, id uint32, _ []byte) []byte {
			if len(input) < 2 || len(input)-2 < int(input[1]) {
				return nil
			}
			kind, body := input[0], input[2:2+int(input[1])]
			input = input[2+len(body):]
			return packet(kind, id, body...)
		})
		askAll(t, c)
	})
}

// FuzzStream sends the input after the version packet, whatever is requested.
func FuzzStream(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(bytes.Join([][]byte{ok(1), ok(2), ok(3), ok(4), ok(5)}, nil))
	f.Add(packet(105, 1, 0, 0, 0, 0))
	f.Add(append(packet(102, 3, 0, 0, 0, 1, 'h'), packet(103, 6, 0, 0, 0, 1, 'x')...))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, input []byte) {
		conn := newStuck(append(hello(everyExtension), input...))
		conn.Reader = io.MultiReader(bytes.NewReader(append(hello(everyExtension), input...)), readerFunc(func([]byte) (int, error) {
			time.Sleep(time.Millisecond) // requests after the end of the input fail, because the session has ended
			return 0, io.EOF
		}))
		askAll(t, connect(t, conn))
	})
}

// askAll calls all ask functions except askTwice concurrently; each must return within 20 seconds.
func askAll(t *testing.T, c *sftp.Client) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	ended := make(chan error)
	asks := []func(context.Context, *sftp.Client) error{
		askLstat, askReadlink, askOpen, askNames, askStatVFS, askList, askRead, askWrite, askRest,
	}
	for _, ask := range asks {
		go func() { ended <- ask(ctx, c) }()
	}
	for range asks {
		if err := <-ended; errors.Is(err, context.DeadlineExceeded) {
			t.Error("a call did not return within 20 seconds")
		}
	}
	_ = c.Close()
}
