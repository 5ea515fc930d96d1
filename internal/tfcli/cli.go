package tfcli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Kind is OpenTofu or Terraform.
type Kind string

// The products.
const (
	OpenTofu  Kind = "OpenTofu"
	Terraform Kind = "Terraform"
)

// The minor version 1.12 is the first of both products with import by identity, write-only
// attributes and provider functions. What needs none of them runs with older versions.
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
	// Old is set if the version is older than 1.12, for a finder that accepts that.
	Old bool
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
// generates the configuration of an import block, whatever required_providers says.
func (c CLI) GuessesImportProvider() bool {
	return c.Kind == Terraform && strings.HasPrefix(c.Version, "1.16.")
}

// HasQueries reports whether the command has list resources, queries and actions:
// Terraform since 1.14.
func (c CLI) HasQueries() bool {
	return c.Kind == Terraform && !strings.HasPrefix(c.Version, "1.12.") && !strings.HasPrefix(c.Version, "1.13.")
}

// Environ returns the environment for the command: base without the user's settings for
// OpenTofu and Terraform, with configFile as the only CLI configuration. If configFile is
// empty, there is no configuration.
func Environ(base []string, configFile string) []string {
	if configFile == "" {
		configFile = os.DevNull
	}
	env := make([]string, 0, len(base)+4)
	for _, kv := range base {
		if !strings.HasPrefix(kv, "TF_") && !strings.HasPrefix(kv, "CHECKPOINT_") {
			env = append(env, kv)
		}
	}
	return append(env,
		"TF_CLI_CONFIG_FILE="+configFile,
		"TF_IN_AUTOMATION=1",
		"TF_INPUT=0",
		"CHECKPOINT_DISABLE=1",
	)
}

// TooOldError is the error for a command whose version is too old.
type TooOldError struct {
	CLI   CLI
	minor int // the first version that is accepted is 1.minor
}

func (e *TooOldError) Error() string {
	return fmt.Sprintf("%s is older than %d.%d", e.CLI, minMajor, e.minor)
}

// inspectTimeout is the time limit of the command version, which may wait for input.
const inspectTimeout = 20 * time.Second

// Inspect determines product and version of a command. The error for a version before 1.12 is
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

var errNotOurs = errors.New("the command is not OpenTofu or Terraform: its subcommand version printed no version of them")

var versionLine = regexp.MustCompile(`(?m)^(OpenTofu|Terraform) v((\d+)\.(\d+)\.\d+\S*)`)

func parseVersion(path, out string, oldest int) (CLI, error) {
	m := versionLine.FindStringSubmatch(out)
	if m == nil {
		return CLI{}, errNotOurs
	}
	cli := CLI{Path: path, Kind: Kind(m[1]), Version: m[2]}
	major, errMajor := strconv.Atoi(m[3])
	minor, errMinor := strconv.Atoi(m[4])
	if errMajor != nil || errMinor != nil {
		return CLI{}, fmt.Errorf("invalid version %q", m[2])
	}
	before := func(limit int) bool { return major < minMajor || major == minMajor && minor < limit }
	if before(oldest) {
		return CLI{}, &TooOldError{CLI: cli, minor: oldest}
	}
	cli.Old = before(minMinor)
	return cli, nil
}
