package tree

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/glob"
)

// maxItems limits the paths of a tree: all of them are held in memory, and half of each
// digest in the state.
const maxItems = 100_000

// sourceTree is the scanned source: the objects for the host, and what is needed to copy
// them.
type sourceTree struct {
	root    string
	items   manifest
	sums    map[string][sha256.Size]byte // digests of regular files, by path
	targets map[string]string            // of links
}

// scan reads the source. Its error lists problems of several files at once.
func (t *Tree) scan(ctx context.Context) (*sourceTree, error) {
	ignored, err := glob.ParseAll(t.Exclude)
	if err != nil {
		return nil, err // reported by the constraint already
	}
	root, err := filepath.EvalSymlinks(t.Source)
	if err != nil {
		return nil, unreadable(t.Source, err)
	}
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		if err == nil {
			err = errors.New("it is not a directory. For a single file, use posix_file")
		}
		return nil, unreadable(t.Source, err)
	}
	s := &scanning{t: t, ctx: ctx, ignored: ignored, tree: &sourceTree{root: root, sums: map[string][sha256.Size]byte{}, targets: map[string]string{}}}
	err = filepath.WalkDir(root, s.visit)
	s.files.Wait()
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.problems(); err != nil {
		return nil, err
	}
	s.tree.items.sort()
	return s.tree, nil
}

func unreadable(source string, err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathErr.Err
	}
	return diag.AttributeErrorf("source", "cannot read the source %s on the host that runs Terraform: %w. A relative path starts at the "+
		"working directory of the run; start with ${path.module}/ for a directory of the module", host.QuotePath(source), err)
}

type scanning struct {
	t       *Tree
	ctx     context.Context //nolint:containedctx // for as long as one call
	ignored glob.Patterns
	files   sync.WaitGroup
	visited int

	mu    sync.Mutex
	tree  *sourceTree
	wrong []string // problems, for the error
	more  int
}

// named is the maximum number of files in an error.
const named = 5

func (s *scanning) problem(path, format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.wrong) == named {
		s.more++
		return
	}
	s.wrong = append(s.wrong, quote(path)+" "+fmt.Sprintf(format, args...))
}

func (s *scanning) problems() error {
	if len(s.wrong) == 0 {
		return nil
	}
	text := strings.Join(s.wrong, "; ")
	if s.more > 0 {
		text += fmt.Sprintf("; and %d more", s.more)
	}
	return diag.AttributeErrorf("source", "the source %s has objects that cannot be copied: %s. Remove them, or use exclude",
		host.QuotePath(s.t.Source), text)
}

// visit is called for each object in the directory.
func (s *scanning) visit(at string, entry fs.DirEntry, err error) error {
	if ctxErr := s.ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	rel, relErr := filepath.Rel(s.tree.root, at)
	if relErr != nil {
		return relErr
	}
	path := filepath.ToSlash(rel)
	if path != "." && s.ignored.Match(path, entry.IsDir()) {
		if entry.IsDir() {
			return fs.SkipDir
		}
		return nil
	}
	if err != nil {
		s.problem(path, "cannot be read: %v", cause(err))
		return nil
	}
	if path != "." {
		if err := nameable(string(s.t.Path), path); err != nil {
			s.problem(path, "cannot be managed: %v", err)
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
	}
	if s.visited++; s.visited > maxItems {
		return diag.AttributeErrorf("source", "the source %s has more than %d files, the limit for a tree. Use exclude, "+
			"or use several trees", host.QuotePath(s.t.Source), maxItems)
	}
	s.add(path, at, entry)
	return nil
}

// nameable returns an error for a path that cannot exist on the host, or that the state
// cannot contain.
func nameable(root, path string) error {
	var p address.Path
	return p.UnmarshalText([]byte(strings.TrimSuffix(root, "/") + "/" + path))
}

func (s *scanning) add(path, at string, entry fs.DirEntry) {
	it := item{path: path}
	switch entry.Type() {
	case fs.ModeDir:
		it.kind, it.mode = host.TypeDirectory, s.t.DirectoryMode
	case fs.ModeSymlink:
		to, err := os.Readlink(at)
		if err == nil {
			err = host.CheckLinkTarget(to)
		}
		if err != nil {
			s.problem(path, "cannot be read: %v", cause(err))
			return
		}
		it.kind, it.sum = host.TypeSymlink, traceOf(sha256.Sum256([]byte(to)))
		s.mu.Lock()
		s.tree.targets[path] = to
		s.mu.Unlock()
	case 0:
		s.files.Go(func() { s.file(path, at) })
		return
	default:
		s.problem(path, "is a %s", kindOf(entry.Type()))
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tree.items = append(s.tree.items, it)
}

// file reads a regular file, when fewer than the maximum number are being read.
func (s *scanning) file(path, at string) {
	found, err := s.t.memory.read(s.ctx, at)
	if err != nil {
		if s.ctx.Err() == nil {
			s.problem(path, "cannot be read: %v", cause(err))
		}
		return
	}
	it := item{path: path, kind: host.TypeRegular, mode: s.t.FileMode, sum: traceOf(found.sum), size: found.size}
	if found.executable {
		it.mode = s.t.executable()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tree.items = append(s.tree.items, it)
	s.tree.sums[path] = found.sum
}

// executable returns the mode of executable files.
func (t *Tree) executable() host.Mode {
	if t.ExecutableMode != nil {
		return *t.ExecutableMode
	}
	return t.FileMode | t.FileMode&0o444>>2
}

func traceOf(sum [sha256.Size]byte) trace { return trace(sum[:len(trace{})]) }

// cause returns an error without the path that the message already has.
func cause(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	return err
}

func kindOf(mode fs.FileMode) host.FileType {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return host.TypeFIFO
	case mode&fs.ModeSocket != 0:
		return host.TypeSocket
	case mode&fs.ModeCharDevice != 0:
		return host.TypeCharDevice
	case mode&fs.ModeDevice != 0:
		return host.TypeBlockDevice
	}
	return host.TypeUnknown
}

// open returns the content of a file, whose Read fails at its end if the content is not
// what was scanned.
func (f *sourceTree) open(path string) (io.ReadCloser, error) {
	file, err := os.Open(filepath.Join(f.root, filepath.FromSlash(path)))
	if err != nil {
		return nil, cause(err)
	}
	return &verified{File: file, path: path, want: f.sums[path], hash: sha256.New()}, nil
}

// verified is content that must be equal to the scanned one.
type verified struct {
	*os.File
	path string
	want [sha256.Size]byte
	hash interface {
		io.Writer
		Sum(b []byte) []byte
	}
}

func (v *verified) Read(p []byte) (int, error) {
	n, err := v.File.Read(p)
	_, _ = v.hash.Write(p[:n]) // Write of a hash never fails
	if err == io.EOF && [sha256.Size]byte(v.hash.Sum(nil)) != v.want {
		return n, changedSource(v.path)
	}
	return n, err
}

// WriteTo ensures that all data goes through Read.
func (v *verified) WriteTo(w io.Writer) (int64, error) { return io.Copy(w, struct{ io.Reader }{v}) }

func changedSource(path string) error {
	return fmt.Errorf("%s of the source has changed since the plan was made. When the source is complete, plan and apply again", quote(path))
}

// settled is how old a modification time must be to prove that the file has not changed
// since: file systems have a resolution of up to two seconds.
const settled = 2 * time.Second
