package scenarios_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"
)

// Scenario is one scenario file.
type Scenario struct {
	// Name is the file name below testdata without its suffix: "apply/wrong_value".
	Name string
	// Title is the first paragraph of the comment.
	Title string
	// Checks are the rows of docs/checks.md that the scenario triggers, such as "11.1#8", or
	// "lifecycle".
	Checks []string
	// Ordered means that the order of applies is compared.
	Ordered bool
	// AnyTitle means that the severities and objects of messages are compared, but not their
	// texts. AnyOrder means that calls for several objects of one name may have any order.
	AnyTitle, AnyOrder bool
	// ByHand means that Terraform's outcome was written by hand, for a version newer
	// than the recorded ones, or because Terraform's outcome varies.
	ByHand bool
	// Newer means that Terraform's outcome is that of Terraform 1.12 or a later version.
	Newer bool
	// Crashes means that the process of OpenTofu exits without a message; the engine
	// returns an error instead.
	Crashes bool
	// Engine is the reason why the engine's outcome differs intentionally.
	Engine string
	// Prior is the prior state in the form of outcomes.
	Prior string
	Steps []Step

	file    string
	archive *txtar.Archive
}

// Step is a command with its inputs.
type Step struct {
	// Command has the words of the command, starting with apply, plan, destroy,
	// refresh or import.
	Command []string
	// Files are the configuration files by name.
	Files map[string][]byte
	// Schema and Behaviour are inputs of the provider.
	Schema, Behaviour []byte
}

// Names of sections that are not configuration files.
const (
	sectionSteps     = "steps"
	sectionPrior     = "prior"
	sectionSchema    = "schema.hcl"
	sectionBehaviour = "behaviour.hcl"
	sectionOutcome   = "outcome"
	sectionTerraform = "outcome.terraform"
)

// Read reads a scenario file. The name of the scenario is relative to the directory.
func Read(directory, file string) (*Scenario, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	name, err := filepath.Rel(directory, file)
	if err != nil {
		return nil, err
	}
	s := &Scenario{Name: strings.TrimSuffix(filepath.ToSlash(name), ".txtar"), file: file, archive: txtar.Parse(text)}
	if err := s.parse(); err != nil {
		return nil, fmt.Errorf("read scenario %s: %w", s.Name, err)
	}
	return s, nil
}

// parse parses the settings and the sections. The names of the sections that step n replaces
// start with "n/". A behaviour applies to one step.
func (s *Scenario) parse() error {
	title, _, _ := strings.Cut(string(s.archive.Comment), "\n\n")
	s.Title = strings.Join(strings.Fields(title), " ")
	for line := range strings.Lines(string(s.archive.Comment)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "checks":
			s.Checks = strings.Fields(value)
		case "engine":
			s.Engine = value
		case "terraform":
			s.ByHand = value == "by hand"
			s.Newer = value == "since 1.12"
		case "opentofu":
			s.Crashes = value == "crashes"
		case "compare":
			for word := range strings.FieldsSeq(value) {
				switch word {
				case "order":
					s.Ordered = true
				case "any-order":
					s.AnyOrder = true
				case "any-title":
					s.AnyTitle = true
				default:
					return fmt.Errorf("cannot compare %q", word)
				}
			}
		}
	}
	commands := "apply"
	sections := map[int]map[string][]byte{}
	for _, f := range s.archive.Files {
		n, name := 1, f.Name
		if before, after, ok := strings.Cut(name, "/"); ok {
			if number, err := strconv.Atoi(before); err == nil {
				n, name = number, after
			}
		}
		switch f.Name {
		case sectionSteps:
			commands = string(f.Data)
		case sectionPrior:
			s.Prior = string(f.Data)
		case sectionOutcome, sectionTerraform:
		default:
			if sections[n] == nil {
				sections[n] = map[string][]byte{}
			}
			sections[n][name] = f.Data
		}
	}
	files, schema := map[string][]byte{"providers.tf": []byte(requiredProviders)}, []byte(nil)
	for i, line := range strings.Split(strings.TrimSpace(commands), "\n") {
		step := Step{Command: strings.Fields(line), Behaviour: sections[i+1][sectionBehaviour]}
		if len(step.Command) == 0 {
			return fmt.Errorf("step %d has no command", i+1)
		}
		files = withFiles(files, sections[i+1])
		if text, ok := sections[i+1][sectionSchema]; ok {
			schema = text
		}
		step.Files, step.Schema = files, schema
		s.Steps = append(s.Steps, step)
	}
	for n := range sections {
		if n > len(s.Steps) {
			return fmt.Errorf("there are sections for step %d, but only %d steps", n, len(s.Steps))
		}
	}
	if len(s.Checks) == 0 {
		return fmt.Errorf("the comment has no checks")
	}
	return nil
}

// withFiles returns files with the configuration files in others added or replaced. Files that are
// empty in others are removed.
func withFiles(files, others map[string][]byte) map[string][]byte {
	out := maps.Clone(files)
	for name, text := range others {
		switch {
		case name == sectionSchema || name == sectionBehaviour:
		case len(bytes.TrimSpace(text)) == 0:
			delete(out, name)
		case path.Ext(name) == ".tf":
			out[name] = text
		}
	}
	return out
}

// ProviderSource is the address of the provider in all scenarios.
const ProviderSource = "example.com/posixform/wrong"

const requiredProviders = `terraform {
  required_providers {
    wrong = {
      source = "` + ProviderSource + `"
    }
  }
}
`

// Outcome returns the recorded outcome, or Terraform's if terraform is set and Terraform
// has its own, or "" if none is recorded.
func (s *Scenario) Outcome(terraform bool) string {
	if terraform {
		if text, ok := s.section(sectionTerraform); ok {
			return text
		}
	}
	text, _ := s.section(sectionOutcome)
	return text
}

// DiffersInTerraform reports whether Terraform has its own outcome.
func (s *Scenario) DiffersInTerraform() bool {
	_, ok := s.section(sectionTerraform)
	return ok
}

// NeedsIdentity reports whether the scenario uses identities, which version 1.12 and later
// versions of OpenTofu and Terraform support.
func (s *Scenario) NeedsIdentity() bool {
	text := txtar.Format(s.archive)
	return bytes.Contains(text, []byte("identity")) || bytes.Contains(text, []byte("wrong_known"))
}

func (s *Scenario) section(name string) (string, bool) {
	i := slices.IndexFunc(s.archive.Files, func(f txtar.File) bool { return f.Name == name })
	if i < 0 {
		return "", false
	}
	return string(s.archive.Files[i].Data), true
}

// Record writes the outcome into the file.
func (s *Scenario) Record(outcome string) error {
	s.set(sectionOutcome, outcome)
	return s.write()
}

// RecordTerraform writes Terraform's outcome into the file, or removes it if it equals
// OpenTofu's except for the order of calls.
func (s *Scenario) RecordTerraform(outcome string) error {
	if Unordered(outcome) == Unordered(s.Outcome(false)) {
		outcome = ""
	}
	s.set(sectionTerraform, outcome)
	return s.write()
}

// set adds or replaces a section, or removes it if text is "". Outcomes are the last sections.
func (s *Scenario) set(name, text string) {
	files := slices.DeleteFunc(s.archive.Files, func(f txtar.File) bool { return f.Name == name })
	if text != "" {
		at := len(files)
		if i := slices.IndexFunc(files, func(f txtar.File) bool { return f.Name == sectionTerraform }); i >= 0 {
			at = i
		}
		files = slices.Insert(files, at, txtar.File{Name: name, Data: []byte(text)})
	}
	s.archive.Files = files
}

func (s *Scenario) write() error {
	return os.WriteFile(s.file, txtar.Format(s.archive), 0o644)
}
