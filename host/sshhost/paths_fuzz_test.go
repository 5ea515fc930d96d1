package sshhost_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

// canary is the file that an injected shell command in a seed would create, in the login
// directory.
const canary = "posix-fuzz-canary"

// FuzzPaths checks that either a path is rejected and nothing is created, or
// exactly that file is created, read, renamed and removed, over SFTP and through the shell. A
// command must get its directory, arguments and environment unchanged. No other file may be
// created, and no injected command may run.
func FuzzPaths(f *testing.F) {
	s := stage(f)
	hosts := map[string]*sshhost.Host{}
	homes := map[string]string{}
	for way, o := range s.Ways {
		h := open(f, sshhost.Options{
			Name: way, Address: o.Address, Port: o.Port, User: s.User, Auth: sshhost.Auth{Keys: []sshhost.Key{{Path: s.Key}}},
			Trust:          sshhost.Trust{Policy: sshhost.Strict, Pinned: []string{o.HostKey}},
			ConnectTimeout: time.Minute, Retries: 3, MaxSessions: 10,
		})
		hosts[way], homes[way] = h, login(f, h)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		t.Parallel()
		for way, h := range hosts {
			base, err := os.MkdirTemp(s.Dir, "") //nolint:usetesting // see stageVariable
			if err != nil {
				t.Fatal(err)
			}
			o := odd{T: t, h: h, way: way, base: base, path: base + "/dir/" + name, text: text}
			o.must(os.Mkdir(base+"/dir", 0o755))
			o.check()
			if _, err := h.Lstat(t.Context(), homes[way]+"/"+canary); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %q was run (%v)", way, name, err)
			}
			o.must(os.RemoveAll(base))
		}
	})
}

// stageVariable is the environment variable that passes [sharedServers] from the first process to the
// workers that it starts. Workers may be killed, and would then not stop servers of their own.
const stageVariable = "POSIX_FUZZ_PATHS"

// sharedServers has the servers and the directory that all processes of a fuzzer share.
type sharedServers struct {
	Dir, User, Key string
	Ways           map[string]server
}

type server struct {
	Address, HostKey string
	Port             int
}

// stage starts the servers, unless another process of the fuzzer has started them.
func stage(f *testing.F) sharedServers {
	f.Helper()
	var s sharedServers
	if text := os.Getenv(stageVariable); text != "" {
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			f.Fatal(err)
		}
		return s
	}
	key := sshdtest.NewKey(f)
	me := sshdtest.Me(key.PublicKey())
	s = sharedServers{User: me.Name, Key: key.File(f, ""), Ways: map[string]server{}}
	for way, subsystem := range map[string]string{"SFTP": "", "shell": sshdtest.None} {
		started := sshdtest.Start(f, sshdtest.Config{Subsystem: subsystem, Users: []sshdtest.User{me}})
		line := ssh.MarshalAuthorizedKey(started.HostKey())
		s.Ways[way] = server{Address: started.Host(), Port: started.Port(), HostKey: string(bytes.TrimSpace(line))}
	}
	var err error
	if s.Dir, err = filepath.EvalSymlinks(f.TempDir()); err != nil {
		f.Fatal(err)
	}
	text, err := json.Marshal(s)
	if err != nil {
		f.Fatal(err)
	}
	f.Setenv(stageVariable, string(text))
	return s
}

// login returns the login directory of the host's user.
func login(f *testing.F, h host.Host) string {
	f.Helper()
	var out strings.Builder
	if _, err := h.Run(f.Context(), host.Command{Args: []string{"pwd"}, Stdout: &out}); err != nil {
		f.Fatal(err)
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// odd tests one path and one text, below an otherwise empty directory.
type odd struct {
	*testing.T
	h    host.Host
	way  string
	base string
	path string
	text string
}

func (o odd) must(err error) {
	o.Helper()
	if err != nil {
		o.Fatalf("%s: path %q, text %q: %v", o.way, o.path, o.text, err)
	}
}

func (o odd) check() {
	ctx := o.Context()
	switch err := host.CheckTarget(o.path); {
	case err != nil:
		_, got := o.h.WriteFile(ctx, o.path, strings.NewReader(o.text), host.WriteOptions{})
		if !errors.Is(got, host.ErrInvalidPath) {
			o.Errorf("%s: path %q: error %v, want %v", o.way, o.path, got, err)
		}
	case o.tooLong():
		_, err := o.h.WriteFile(ctx, o.path, strings.NewReader(o.text), host.WriteOptions{})
		if _, stat := o.h.Lstat(ctx, o.path); err == nil || stat == nil {
			o.Errorf("%s: a path of %d bytes: WriteFile returned %v and Lstat %v, want errors", o.way, len(o.path), err, stat)
		}
	default:
		made, err := host.MakeParents(ctx, o.h, o.path, host.Attributes{})
		o.must(err)
		o.asFile(ctx)
		o.asLink(ctx)
		o.asDirectory(ctx)
		for _, dir := range slices.Backward(made) {
			o.must(o.h.Rmdir(ctx, dir))
		}
	}
	o.only()
}

// tooLong reports whether a name in the path has more than 255 bytes, or the path of its
// temporary file more than 4000, which is close to the limit of Linux.
func (o odd) tooLong() bool {
	long := func(name string) bool { return len(name) > 255 }
	return len(host.TempPath(o.path, strings.Repeat("x", 32))) > 4000 || slices.ContainsFunc(strings.Split(o.path, "/"), long)
}

// only checks that the directory dir, the given paths and their parents are all that exists below base.
func (o odd) only(paths ...string) {
	o.Helper()
	var got []string
	o.must(filepath.WalkDir(o.base, func(p string, _ fs.DirEntry, err error) error {
		got = append(got, p)
		return err
	}))
	want := []string{o.base, o.base + "/dir"}
	for _, p := range paths {
		for ; len(p) > len(o.base) && !slices.Contains(want, p); p = path.Dir(p) {
			want = append(want, p)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		o.Errorf("%s: the files are %q, want %q", o.way, got, want)
	}
}

// holds checks that a file has the text. It reads the file directly.
func (o odd) holds(p string) {
	o.Helper()
	got, err := os.ReadFile(p)
	if err != nil || string(got) != o.text {
		o.Errorf("%s: %q has content %q, error %v; want %q", o.way, p, got, err, o.text)
	}
}

func (o odd) asFile(ctx context.Context) {
	o.Helper()
	written, err := o.h.WriteFile(ctx, o.path, strings.NewReader(o.text), host.WriteOptions{})
	o.must(err)
	o.only(o.path)
	o.holds(o.path)
	info, err := o.h.Lstat(ctx, o.path)
	if err != nil || info != written || info.Path != o.path {
		o.Errorf("%s: Lstat returned %+v, error %v; WriteFile returned %+v, want the same at %s", o.way, info, err, written, o.path)
	}
	entries, err := o.h.ReadDir(ctx, path.Dir(o.path))
	if err != nil || len(entries) != 1 || entries[0].Name != path.Base(o.path) || entries[0].Type != host.TypeRegular {
		o.Errorf("%s: the directory has %+v, error %v, want only %s", o.way, entries, err, path.Base(o.path))
	}
	_, content, err := o.h.Open(ctx, o.path)
	o.must(err)
	got, err := io.ReadAll(content)
	if err = errors.Join(err, content.Close()); err != nil || string(got) != o.text {
		o.Errorf("%s: content %q, error %v, want %q", o.way, got, err, o.text)
	}
	_, sum, err := host.Digest(ctx, o.h, o.path)
	if err != nil || sum != sha256.Sum256([]byte(o.text)) {
		o.Errorf("%s: digest %x, error %v, want that of %q", o.way, sum, err, o.text)
	}
	plain := o.base + "/dir-plain"
	o.must(o.h.Rename(ctx, o.path, plain))
	if _, err := os.Lstat(o.path); !errors.Is(err, fs.ErrNotExist) {
		o.Errorf("%s: after Rename: Lstat returned %v, want fs.ErrNotExist", o.way, err)
	}
	o.must(o.h.Link(ctx, plain, o.path))
	o.holds(o.path)
	o.only(o.path, plain)
	o.must(o.h.Rename(ctx, o.path, plain+"2")) // not to plain: rename(2) of a link to another link of the same file does nothing
	o.must(errors.Join(o.h.Remove(ctx, plain), o.h.Rename(ctx, plain+"2", o.path)))
	o.holds(o.path)
	o.must(o.h.Remove(ctx, o.path))
	if _, err := o.h.Lstat(ctx, o.path); !errors.Is(err, fs.ErrNotExist) {
		o.Errorf("%s: after Remove: Lstat returned %v, want fs.ErrNotExist", o.way, err)
	}
}

func (o odd) asLink(ctx context.Context) {
	o.Helper()
	info, err := o.h.Symlink(ctx, o.text, o.path)
	if o.text == "" || strings.Contains(o.text, "\x00") {
		if !errors.Is(err, host.ErrInvalidPath) {
			o.Errorf("%s: a link to %q: error %v, want %v", o.way, o.text, err, host.ErrInvalidPath)
		}
		return
	}
	if len(o.text) >= 4000 {
		return
	}
	o.must(err)
	got, err := os.Readlink(o.path)
	if err != nil || got != o.text || info.LinkTarget != o.text {
		o.Errorf("%s: the target of the link is %q, reported %q, error %v; want %q", o.way, got, info.LinkTarget, err, o.text)
	}
	info, err = o.h.ReplaceSymlink(ctx, "other"+o.text, o.path, nil)
	o.must(err)
	got, err = os.Readlink(o.path)
	if err != nil || got != "other"+o.text || info.LinkTarget != got {
		o.Errorf("%s: the target of the link is %q, reported %q, error %v, want %q", o.way, got, info.LinkTarget, err, "other"+o.text)
	}
	o.only(o.path)
	o.must(o.h.Remove(ctx, o.path))
}

// asDirectory creates a directory at the path, and runs a program inside it as a command in
// that directory.
func (o odd) asDirectory(ctx context.Context) {
	o.Helper()
	_, err := o.h.Mkdir(ctx, o.path, host.Attributes{})
	o.must(err)
	program := o.path + "/" + path.Base(o.path)
	_, err = o.h.WriteFile(ctx, program, strings.NewReader("#!/bin/sh\npwd -P && printf '%s\\0' \"$@\" \"$FUZZED\"\n"),
		host.WriteOptions{Attributes: host.Attributes{Mode: new(host.Mode(0o700))}})
	o.must(err)
	o.only(program)
	var out, stderr bytes.Buffer
	result, err := o.h.Run(ctx, host.Command{
		Args: []string{program, o.text, path.Base(o.path)}, Dir: o.path, Env: map[string]string{"FUZZED": o.text},
		Stdout: &out, Stderr: &stderr,
	})
	if strings.Contains(o.text, "\x00") {
		if _, refused := errors.AsType[*host.NotStartedError](err); !refused || out.Len() > 0 {
			o.Errorf("%s: NUL in the text: error %v, output %q, want a NotStartedError and no output", o.way, err, &out)
		}
	} else if len(o.text) < 100_000 {
		want := fmt.Sprintf("%s\n%s\x00%s\x00%s\x00", o.path, o.text, path.Base(o.path), o.text)
		if err != nil || result.ExitCode != 0 || out.String() != want {
			o.Errorf("%s: the command printed %q, want %q; it ended with %+v and %q, error %v", o.way, &out, want, result, &stderr, err)
		}
	}
	o.only(program)
	o.must(errors.Join(o.h.Remove(ctx, program), o.h.Rmdir(ctx, o.path)))
}
