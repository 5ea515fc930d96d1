// Package tfcli finds the OpenTofu or Terraform command for tests and the demo.
//
// Acceptance tests, the demo and make call [Finder.Find]. It returns the
// command in POSIX_TF if that is set. Otherwise it returns the first tofu on the PATH that is
// new enough, or else the first such terraform, or else the OpenTofu that make has built into
// the repository's cache directory, if it has the version in tools/go.mod.
// Rejected candidates are returned with the reason.
//
// Invariants: a command is returned only after it has printed its version. Commands
// run without the user's configuration and without network.
//
// Elsewhere: make tofu builds OpenTofu; package acctest passes the result to
// terraform-plugin-testing.
package tfcli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// EnvOverride is the environment variable with the command to use.
const EnvOverride = "POSIX_TF"

// ErrNotFound means that no candidate is usable.
var ErrNotFound = errors.New("no OpenTofu or Terraform of version 1.12 or newer: put such a program on the PATH, or set its path in " + EnvOverride)

// Finder has the places to search, in order.
type Finder struct {
	// Override, if not empty, is the only candidate.
	Override string
	// Path has the directories that are searched for tofu, then terraform.
	Path []string
	// Cached is the path of the command that make builds, or empty.
	Cached string
	// CachedVersion is the version of OpenTofu that make builds, or empty if the cache may
	// have any version. A cached command of a different version is rejected, so that make builds it again.
	CachedVersion string
	// Old accepts versions from 1.8 on as Override.
	Old bool
}

// Rejected is an existing command that was rejected, with the reason.
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
			f.CachedVersion = builtVersion(root)
		}
	}
	return f
}

var requiredTofu = regexp.MustCompile(`(?m)^\s*(?:require )?github\.com/opentofu/opentofu v(\S+)`)

// builtVersion returns the version of OpenTofu in the module that builds it, or an empty string.
func builtVersion(root string) string {
	text, err := os.ReadFile(filepath.Join(root, "tools", "go.mod"))
	if err != nil {
		return ""
	}
	if m := requiredTofu.FindSubmatch(text); m != nil {
		return string(m[1])
	}
	return ""
}

// Find returns the command to use and the rejected candidates before it. If no candidate
// is usable, it returns an error that wraps [ErrNotFound], and all rejected candidates. If
// Override is not usable, the error has the reason.
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
		if err == nil && candidate == f.Cached && f.CachedVersion != "" && found.Version != f.CachedVersion {
			err = fmt.Errorf("%s is not version %s, which tools/go.mod requires", found, f.CachedVersion)
		}
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

// candidates returns the paths of tofu in each absolute directory of the PATH, then the paths of
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
// module that builds OpenTofu, and reports whether there is one.
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

// Kind is OpenTofu or Terraform.
type Kind string

// The products.
const (
	OpenTofu  Kind = "OpenTofu"
	Terraform Kind = "Terraform"
)

// The minor version 1.12 is the first of both products with import by identity, write-only
// attributes and provider functions. With [Finder.Old], older versions are accepted too.
const (
	minMajor    = 1
	minMinor    = 12
	oldestMinor = 8
)

// CLI is an OpenTofu or Terraform command.
type CLI struct {
	Path    string
	Kind    Kind
	Version string
	// Old is set if the version is older than 1.12, which only a [Finder] with Old accepts.
	Old bool

	major, minor int
}

// before reports whether the version is older than 1.minor.
func (c CLI) before(minor int) bool {
	return c.major < minMajor || c.major == minMajor && c.minor < minor
}

// String returns the product and its version.
func (c CLI) String() string { return string(c.Kind) + " " + c.Version }

// RegistryHost returns the default host of provider addresses.
func (c CLI) RegistryHost() string {
	if c.Kind == OpenTofu {
		return "registry.opentofu.org"
	}
	return "registry.terraform.io"
}

// GuessesImportProvider reports whether the command looks for the provider hashicorp/NAME when it
// generates the configuration of an import block, even if required_providers has a different source.
func (c CLI) GuessesImportProvider() bool {
	return c.Kind == Terraform && !c.before(16)
}

// ConditionsUseSelf reports whether the condition of an action_trigger block refers to its resource
// with self. Versions before Terraform 1.16 require the address of the resource.
func (c CLI) ConditionsUseSelf() bool {
	return c.Kind == Terraform && !c.before(16)
}

// HasQueries reports whether the command has list resources, queries and actions, as
// Terraform 1.14 and later versions do.
func (c CLI) HasQueries() bool {
	return c.Kind == Terraform && !c.before(14)
}

// Environ returns the environment for the command: base without the user's settings for
// OpenTofu and Terraform, with configFile as the only CLI configuration. If configFile is
// empty, there is no configuration.
func Environ(base []string, configFile string) []string {
	env := slices.DeleteFunc(slices.Clone(base), func(kv string) bool {
		return strings.HasPrefix(kv, "TF_") || strings.HasPrefix(kv, "CHECKPOINT_")
	})
	return append(env, "TF_CLI_CONFIG_FILE="+cmp.Or(configFile, os.DevNull), "TF_IN_AUTOMATION=1", "TF_INPUT=0", "CHECKPOINT_DISABLE=1")
}

// TooOldError is the error for a command whose version is too old.
type TooOldError struct {
	CLI   CLI
	minor int // the first version that is accepted is 1.minor
}

func (e *TooOldError) Error() string {
	return fmt.Sprintf("%s is older than %d.%d", e.CLI, minMajor, e.minor)
}

// inspectTimeout is the time limit of the subcommand version, because an unknown program may
// wait for input.
const inspectTimeout = 20 * time.Second

// Inspect determines the product and the version of a command. The error for a version before 1.12 is
// a [*TooOldError].
func Inspect(ctx context.Context, path string) (CLI, error) { return inspect(ctx, path, minMinor) }

func inspect(ctx context.Context, path string, oldest int) (CLI, error) {
	ctx, cancel := context.WithTimeout(ctx, inspectTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "version")
	cmd.Env = Environ(os.Environ(), "")
	out, err := cmd.Output()
	if err != nil {
		return CLI{}, fmt.Errorf("get the version: %w", err)
	}
	return parseVersion(path, string(out), oldest)
}

var errOtherProgram = errors.New("the command is not OpenTofu or Terraform: its subcommand version prints the version of neither")

var versionLine = regexp.MustCompile(`(?m)^(OpenTofu|Terraform) v((\d+)\.(\d+)\.\d+\S*)`)

func parseVersion(path, out string, oldest int) (CLI, error) {
	m := versionLine.FindStringSubmatch(out)
	if m == nil {
		return CLI{}, errOtherProgram
	}
	major, errMajor := strconv.Atoi(m[3])
	minor, errMinor := strconv.Atoi(m[4])
	if errMajor != nil || errMinor != nil {
		return CLI{}, fmt.Errorf("invalid version %q", m[2])
	}
	cli := CLI{Path: path, Kind: Kind(m[1]), Version: m[2], major: major, minor: minor}
	if cli.before(oldest) {
		return CLI{}, &TooOldError{CLI: cli, minor: oldest}
	}
	cli.Old = cli.before(minMinor)
	return cli, nil
}
