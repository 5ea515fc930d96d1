package conformance_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// A bug is a mistake that tests add to plantedFile.
type bug string

const (
	noBug             bug = ""
	unstableIdentity  bug = "the identity contains the size of the content"
	lostPrivate       bug = "a refresh removes the private data"
	wrongComputed     bug = "create returns a size that is one too large"
	ignoredDrift      bug = "read returns its input"
	driftOfMode       bug = "read ignores the mode"
	trimmedContent    bug = "space around the content is not written"
	forgottenMode     bug = "update does not change the mode"
	leftFile          bug = "delete leaves the file"
	unrecordedCreate  bug = "an interrupted create does not return the created file"
	wrongDigest       bug = "the digest is planned from trimmed content"
	importsLower      bug = "an import searches for the name in lower case"
	plansDiffer       bug = "each plan has a different tag"
	spelledMode       bug = "the mode is returned in a different spelling"
	shownSecret       bug = "a message contains the passphrase"
	planWrites        bug = "a plan changes the file"
	goneIsError       bug = "reading a missing file is an error"
	goneIsUndeletable bug = "deleting a missing file is an error"
	onlyGrows         bug = "a plan that makes the file smaller is refused"
	endsProcess       bug = "a create of three bytes or more ends the process"
	panics            bug = "a create of three bytes or more panics"
)

// plantedFile is the resource under test: a file with content and mode.
type plantedFile struct {
	// Name of the file: letters and digits.
	Name string
	// Content of the file.
	Content string
	// Mode of the file, such as `0644` or `600`.
	Mode string `tf:",optional"`
	// Passphrase, which is only in the state; at least 6 bytes.
	Passphrase *string           `tf:",sensitive"`
	Labels     map[string]string `tf:",optional"`

	bug bug
	dir string
}

// plantedOutput is the file as it was read, with the computed attributes.
type plantedOutput struct {
	Name    string
	Content string
	Mode    string
	Size    int64
	SHA256  string
	Tag     *string
}

type plantedID struct {
	Name string
	Size *int64
}

func (*plantedFile) SchemaVersion() int      { return 0 }
func (*plantedFile) ReplaceFields() []string { return []string{"name"} }
func (f *plantedFile) Defaults()             { f.Mode = "0644" }
func (f *plantedFile) MutableIdentity() bool { return f.bug == unstableIdentity }

func (f *plantedFile) Identity(_ runtime.NoConfig, out *plantedOutput) plantedID {
	id := plantedID{Name: out.Name, Size: new(int64)}
	if f.bug == unstableIdentity {
		id.Size = &out.Size
	}
	return id
}

func (*plantedFile) ParseImportID(id string) (plantedID, error) { return plantedID{Name: id}, nil }

func (f *plantedFile) EquivalentInput(field string, prior, current plantedFile) bool {
	if f.bug == spelledMode || field != "mode" {
		return false
	}
	a, err := parseMode(prior.Mode)
	b, err2 := parseMode(current.Mode)
	return err == nil && err2 == nil && a == b
}

// Constraints returns constraints that random values rarely satisfy.
func (f *plantedFile) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		runtime.Check("name", "must have letters and digits only", func(name string) error {
			if name == "" || len(name) > 40 || strings.ContainsFunc(name, func(r rune) bool { return r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z' }) {
				return errors.New("a name has letters and digits, such as \"web1\"")
			}
			return nil
		}),
		runtime.Check("mode", "must be octal digits", func(mode string) error {
			_, err := parseMode(mode)
			return err
		}),
		runtime.Check("passphrase", "must have 6 characters or more", func(phrase string) error {
			switch {
			case len(phrase) >= 6 && (f.bug != shownSecret || len(phrase)%2 == 0 || len(phrase) < 13):
				return nil
			case f.bug == shownSecret:
				return fmt.Errorf("the passphrase %q is a bad one", phrase)
			default:
				return errors.New("the passphrase is too short")
			}
		}),
	}
}

func parseMode(text string) (fs.FileMode, error) {
	n, err := strconv.ParseUint(text, 8, 32)
	if err != nil || len(text) < 3 || len(text) > 4 || n > 0o777 || n < 0o600 {
		return 0, errors.New("the mode must be three or four octal digits from 0600 to 0777")
	}
	return fs.FileMode(n), nil
}

func (f *plantedFile) path() string { return filepath.Join(f.dir, f.Name) }

func (f *plantedFile) body() []byte {
	if f.bug == trimmedContent {
		return []byte(strings.TrimSpace(f.Content))
	}
	return []byte(f.Content)
}

func (f *plantedFile) PlanOutputs(_ context.Context, _ runtime.NoConfig, plan *runtime.OutputPlan) error {
	body := []byte(f.Content)
	if f.bug == wrongDigest {
		body = bytes.TrimSpace(body)
	}
	plan.Set("sha256", digest(body))
	switch f.bug {
	case plansDiffer:
		planned++
		plan.Set("tag", strconv.Itoa(planned))
	case planWrites:
		if _, err := os.Stat(f.path()); err == nil {
			return os.WriteFile(f.path(), body, 0o600)
		}
	case onlyGrows:
		if info, err := os.Stat(f.path()); err == nil && info.Size() > int64(len(body)) {
			return errors.New("the file cannot become smaller")
		}
	}
	return nil
}

// planned counts plans, for plansDiffer.
var planned int

func digest(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

func (f *plantedFile) Create(ctx context.Context, cfg runtime.NoConfig) (*plantedOutput, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	mode, err := parseMode(f.Mode)
	if err != nil {
		return nil, err
	}
	switch long := len(f.Content) >= 3; {
	case long && f.bug == endsProcess:
		os.Exit(3)
	case long && f.bug == panics:
		panic("too long")
	}
	file, err := os.OpenFile(f.path(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return nil, errors.New("the file already exists, or cannot be created")
	}
	_, err = file.Write(f.body())
	if err := errors.Join(err, file.Close(), os.Chmod(f.path(), mode)); err != nil {
		return nil, err
	}
	if _, interrupted := ctx.Deadline(); interrupted && f.bug == unrecordedCreate {
		<-ctx.Done() // simulates waiting
		return nil, ctx.Err()
	}
	runtime.Private(ctx).Set("made", []byte(`"by planted"`))
	out, err := f.load(cfg)
	if err == nil && f.bug == wrongComputed {
		out.Size++
	}
	if err == nil && f.bug == plansDiffer {
		out.Tag = new(strconv.Itoa(planned))
	}
	return out, err
}

// load reads the file. If it is missing, the error is runtime.ErrNotFound, unless the bug is
// goneIsError.
func (f *plantedFile) load(runtime.NoConfig) (*plantedOutput, error) {
	body, err := os.ReadFile(f.path())
	if errors.Is(err, fs.ErrNotExist) && f.bug != goneIsError {
		return nil, runtime.ErrNotFound
	}
	if err != nil {
		return nil, errors.New("the file cannot be read")
	}
	info, err := os.Stat(f.path())
	if err != nil {
		return nil, err
	}
	out := &plantedOutput{Name: f.Name, Content: string(body), Mode: f.Mode, Size: int64(len(body)), SHA256: digest(body)}
	if mode, err := parseMode(f.Mode); err != nil || mode != info.Mode().Perm() || f.bug == spelledMode {
		out.Mode = fmt.Sprintf("%04o", info.Mode().Perm())
	}
	return out, nil
}

func (f *plantedFile) Read(ctx context.Context, cfg runtime.NoConfig, prior *plantedOutput) (*plantedOutput, error) {
	f.Name, f.Mode, f.Content = prior.Name, prior.Mode, prior.Content
	out, err := f.load(cfg)
	if err != nil {
		return nil, err
	}
	out.Tag = prior.Tag
	switch f.bug {
	case lostPrivate:
		runtime.Private(ctx).Set("made", nil)
	case ignoredDrift:
		return prior, nil
	case driftOfMode:
		out.Mode = prior.Mode
	}
	return out, nil
}

func (f *plantedFile) Import(_ context.Context, cfg runtime.NoConfig, id plantedID) (*plantedOutput, error) {
	f.Name = id.Name
	if f.bug == importsLower {
		f.Name = strings.ToLower(f.Name)
	}
	return f.load(cfg)
}

func (f *plantedFile) Update(_ context.Context, cfg runtime.NoConfig, _ runtime.Prior[plantedFile, *plantedOutput]) (*plantedOutput, error) {
	mode, err := parseMode(f.Mode)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(f.path(), f.body(), mode); err != nil {
		return nil, err
	}
	if f.bug != forgottenMode {
		if err := os.Chmod(f.path(), mode); err != nil {
			return nil, err
		}
	}
	out, err := f.load(cfg)
	if err == nil && f.bug == forgottenMode {
		out.Mode = f.Mode
	}
	return out, err
}

func (f *plantedFile) Delete(_ context.Context, _ runtime.NoConfig, _ *plantedOutput) error {
	if f.bug == leftFile {
		return nil
	}
	if err := os.Remove(f.path()); err != nil && (f.bug == goneIsUndeletable || !errors.Is(err, fs.ErrNotExist)) {
		return errors.New("the file cannot be removed")
	}
	return nil
}

// newPlanted returns a function that creates a provider with the bug. Its files are in
// dir.
func newPlanted(b bug, dir string) func(context.Context) (provider.Interface, error) {
	return func(context.Context) (provider.Interface, error) {
		return runtime.New(runtime.Definition{
			Name: "planted",
			Resources: map[string]runtime.ResourceRegistration{
				"file": runtime.MakeResourceWith[plantedFile, *plantedOutput, runtime.NoConfig](func() *plantedFile {
					return &plantedFile{bug: b, dir: dir}
				}),
			},
		})
	}
}
