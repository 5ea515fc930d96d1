package tfcli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
)

// EnvOverride is the environment variable with the command to use.
const EnvOverride = "POSIX_TF"

// ErrNotFound means that no command is new enough.
var ErrNotFound = errors.New("no OpenTofu or Terraform of version 1.12 or newer: put one on the PATH, or set its path in " + EnvOverride)

// Finder has the places to search, in order.
type Finder struct {
	// Override, if not empty, is the only candidate.
	Override string
	// Path has the directories that are searched for tofu, then terraform.
	Path []string
	// Cached is the path of the command that make builds, or empty.
	Cached string
	// Old accepts versions from 1.8 on as Override.
	Old bool
}

// Rejected is an existing command that was not chosen.
type Rejected struct {
	Path string
	Err  error
}

// String returns the path and the reason as a line of output.
func (r Rejected) String() string { return fmt.Sprintf("skipped %s: %v", r.Path, r.Err) }

// FromEnvironment returns a finder for this process: POSIX_TF, the PATH, and
// the cache of the repository that contains the working directory.
func FromEnvironment() Finder {
	f := Finder{
		Override: os.Getenv(EnvOverride),
		Path:     filepath.SplitList(os.Getenv("PATH")),
	}
	if dir, err := os.Getwd(); err == nil {
		if root, ok := RepositoryRoot(dir); ok {
			f.Cached = filepath.Join(root, ".cache", "bin", executable("tofu"))
		}
	}
	return f
}

// Find returns the command to use and the rejected candidates before it. If no candidate
// is usable, it returns [ErrNotFound] and all rejected candidates.
func (f Finder) Find(ctx context.Context) (CLI, []Rejected, error) {
	if f.Override != "" {
		oldest := minMinor
		if f.Old {
			oldest = oldestMinor
		}
		found, err := inspect(ctx, f.Override, oldest)
		if err != nil {
			return CLI{}, nil, fmt.Errorf("%s=%s: %w", EnvOverride, f.Override, err)
		}
		return found, nil, nil
	}

	var rejected []Rejected
	for _, candidate := range f.candidates() {
		if info, err := os.Stat(candidate); err != nil || info.IsDir() {
			continue
		}
		found, err := Inspect(ctx, candidate)
		if err == nil {
			return found, rejected, nil
		}
		rejected = append(rejected, Rejected{Path: candidate, Err: err})
	}
	if f.Cached != "" {
		return CLI{}, rejected, fmt.Errorf("%w; run make tofu to build OpenTofu, which takes about five minutes", ErrNotFound)
	}
	return CLI{}, rejected, ErrNotFound
}

// candidates returns the paths of tofu in each directory of the PATH, then those of
// terraform, then the cached command.
func (f Finder) candidates() []string {
	var paths []string
	for _, name := range []string{"tofu", "terraform"} {
		for _, dir := range f.Path {
			if filepath.IsAbs(dir) {
				paths = append(paths, filepath.Join(dir, executable(name)))
			}
		}
	}
	if f.Cached != "" {
		paths = append(paths, f.Cached)
	}
	return paths
}

// RepositoryRoot returns the nearest directory, from dir upwards, with the
// module that builds OpenTofu.
func RepositoryRoot(dir string) (string, bool) {
	for {
		if _, err := os.Stat(filepath.Join(dir, "tools", "go.mod")); err == nil {
			return dir, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", false
		}
		dir = parent
	}
}

func executable(name string) string {
	if goruntime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}
