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

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/glob"
)

// maxItems is the maximum number of paths of a tree: all paths are held in memory, and the
// state has each of them with half of its digest.
const maxItems = 100_000

// sourceTree is a scanned source.
type sourceTree struct {
	root    string
	items   manifest
	sums    map[string][sha256.Size]byte // digests of regular files, by path
	targets map[string]string            // targets of links, by path
}

// scan reads the source. One error names several invalid objects.
func (t *Tree) scan(ctx context.Context) (*sourceTree, error) {
	ignored, err := glob.ParseAll(t.Exclude)
	if err != nil {
		return nil, err // the constraint reports the error with the path of the attribute
	}
	root, err := filepath.EvalSymlinks(t.Source)
	if err != nil {
		return nil, wrapSourceError(t.Source, err)
	}
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		if err == nil {
			err = errors.New("it is not a directory. For a single file, use posix_file")
		}
		return nil, wrapSourceError(t.Source, err)
	}
	s := &scanner{t: t, ctx: ctx, ignored: ignored, tree: &sourceTree{root: root, sums: map[string][sha256.Size]byte{}, targets: map[string]string{}}}
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

func wrapSourceError(source string, err error) error {
	return diag.AttributeErrorf("source", "cannot read the source %s on the host that runs the provider: %w. A relative path starts at the "+
		"working directory of the run; start with ${path.module}/ for a directory of the module", host.QuotePath(source), cause(err))
}

type scanner struct {
	t       *Tree
	ctx     context.Context //nolint:containedctx // scope of one call
	ignored glob.Patterns
	files   sync.WaitGroup
	visited int

	mu           sync.Mutex
	tree         *sourceTree
	problemTexts []string // problems to report
	unreported   int
}

// maxNamed is the maximum number of objects that a message names.
const maxNamed = 5

func (s *scanner) problem(path, format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.problemTexts) == maxNamed {
		s.unreported++
		return
	}
	s.problemTexts = append(s.problemTexts, quote(path)+" "+fmt.Sprintf(format, args...))
}

func (s *scanner) problems() error {
	if len(s.problemTexts) == 0 {
		return nil
	}
	text := strings.Join(s.problemTexts, "; ")
	if s.unreported > 0 {
		text += fmt.Sprintf("; and %d more", s.unreported)
	}
	return diag.AttributeErrorf("source", "the source %s has objects that cannot be copied: %s. Remove them, or use exclude",
		host.QuotePath(s.t.Source), text)
}

// visit is the function for filepath.WalkDir.
func (s *scanner) visit(at string, entry fs.DirEntry, err error) error {
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
		if err := checkName(string(s.t.Path), path); err != nil {
			s.problem(path, "cannot be managed: %v", err)
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
	}
	if s.visited++; s.visited > maxItems {
		return diag.AttributeErrorf("source", "the source %s has more than %d objects, the limit for a tree. Use exclude, "+
			"or use several trees", host.QuotePath(s.t.Source), maxItems)
	}
	s.add(path, at, entry)
	return nil
}

// checkName returns an error for a path of the source that a managed object cannot have: see
// [address.Path.UnmarshalText].
func checkName(root, path string) error {
	var p address.Path
	return p.UnmarshalText([]byte(strings.TrimSuffix(root, "/") + "/" + path))
}

func (s *scanner) add(path, at string, entry fs.DirEntry) {
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
		it.kind, it.sum = host.TypeSymlink, newShortDigest(sha256.Sum256([]byte(to)))
		s.mu.Lock()
		s.tree.targets[path] = to
		s.mu.Unlock()
	case 0:
		s.t.cache.slots <- struct{}{} // before the goroutine starts: there can be 100,000 files
		s.files.Go(func() {
			defer func() { <-s.t.cache.slots }()
			s.addFile(path, at)
		})
		return
	default:
		s.problem(path, "is a %s", kindOf(entry.Type()))
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tree.items = append(s.tree.items, it)
}

// addFile reads a regular file and adds it.
func (s *scanner) addFile(path, at string) {
	found, err := s.t.cache.read(s.ctx, at)
	if err != nil {
		if s.ctx.Err() == nil {
			s.problem(path, "cannot be read: %v", cause(err))
		}
		return
	}
	it := item{path: path, kind: host.TypeRegular, mode: s.t.FileMode, sum: newShortDigest(found.sum), size: found.size}
	if found.executable {
		it.mode = s.t.executableMode()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tree.items = append(s.tree.items, it)
	s.tree.sums[path] = found.sum
}

// executableMode returns the configured mode of executable files, or FileMode with execute permission wherever it has
// read permission.
func (t *Tree) executableMode() host.Mode {
	if t.ExecutableMode != nil {
		return *t.ExecutableMode
	}
	return t.FileMode | t.FileMode&0o444>>2
}

func newShortDigest(sum [sha256.Size]byte) shortDigest { return shortDigest(sum[:len(shortDigest{})]) }

// cause returns the error without the path, which the caller prints.
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

// open opens a file of the source. Reading fails at the end if the content differs from
// the scanned one.
func (f *sourceTree) open(path string) (io.ReadCloser, error) {
	file, err := os.Open(filepath.Join(f.root, filepath.FromSlash(path)))
	if err != nil {
		return nil, cause(err)
	}
	return &verifiedFile{File: file, path: path, want: f.sums[path], hash: sha256.New()}, nil
}

// verifiedFile is a source file whose content must equal the scanned one.
type verifiedFile struct {
	*os.File
	path string
	want [sha256.Size]byte
	hash interface {
		io.Writer
		Sum(b []byte) []byte
	}
}

func (v *verifiedFile) Read(p []byte) (int, error) {
	n, err := v.File.Read(p)
	_, _ = v.hash.Write(p[:n]) // a hash never fails
	if err == io.EOF && [sha256.Size]byte(v.hash.Sum(nil)) != v.want {
		return n, sourceChanged(v.path)
	}
	return n, err
}

// WriteTo prevents io.Copy from calling the method of os.File, which does not verify.
func (v *verifiedFile) WriteTo(w io.Writer) (int64, error) { return io.Copy(w, struct{ io.Reader }{v}) }

func sourceChanged(path string) error {
	return fmt.Errorf("%s of the source has changed since the plan was made. When the source is complete, plan and apply again", quote(path))
}
