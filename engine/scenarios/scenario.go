package scenarios

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

// Scenario is one file.
type Scenario struct {
	// Name is the file without its ending, below testdata: "apply/wrong_value".
	Name string
	// Title is the sentence that it begins with.
	Title string
	// Checks are the rows that the scenario provokes: "11.1#8".
	Checks []string
	// Ordered asks for the order of applies among the outcomes.
	Ordered bool
	// AnyTitle says that the texts of messages are not to be compared, but what
	// they are about; AnyOrder that calls for several objects of one name come in
	// any order.
	AnyTitle, AnyOrder bool
	// ByHand says that the outcome of Terraform was not recorded but written, for a
	// version that is newer than what can be run.
	ByHand bool
	// Engine is why the engine's outcome is another one, where that is known and
	// meant.
	Engine string
	// Prior is the state to begin with, as in outcomes.
	Prior string
	Steps []Step

	file    string
	archive *txtar.Archive
}

// Step is one command with all that it is run with.
type Step struct {
	// Command has the words of the command; the first one is apply, plan, destroy,
	// refresh, import or validate.
	Command []string
	// Files are those of the configuration, by their names.
	Files map[string][]byte
	// Schema and Behaviour are for package wrong.
	Schema, Behaviour []byte
}

// The names of sections that are not configuration.
const (
	sectionSteps     = "steps"
	sectionPrior     = "prior"
	sectionSchema    = "schema.hcl"
	sectionBehaviour = "behaviour.hcl"
	sectionOutcome   = "outcome"
	sectionTerraform = "outcome.terraform"
)

// Read reads the file, which is below the folder.
func Read(folder, file string) (*Scenario, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	name, err := filepath.Rel(folder, file)
	if err != nil {
		return nil, err
	}
	s := &Scenario{Name: strings.TrimSuffix(filepath.ToSlash(name), ".txtar"), file: file, archive: txtar.Parse(text)}
	if err := s.parse(); err != nil {
		return nil, fmt.Errorf("read scenario %s: %w", s.Name, err)
	}
	return s, nil
}

// parse takes the sections apart. Those of step n that are other than those of
// the step before begin with "n/". What a behaviour says holds for one step.
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
					return fmt.Errorf("there is nothing to compare that is called %q", word)
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
			return fmt.Errorf("there are sections for step %d, but %d steps", n, len(s.Steps))
		}
	}
	if len(s.Checks) == 0 {
		return fmt.Errorf("the comment does not say which checks it is about")
	}
	return nil
}

// withFiles are the files with others in their place. An empty one is removed.
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

// Outcome is what is recorded; of Terraform's, if terraform is set and there is
// one of its own.
func (s *Scenario) Outcome(terraform bool) string {
	if terraform {
		if text, ok := s.section(sectionTerraform); ok {
			return text
		}
	}
	text, _ := s.section(sectionOutcome)
	return text
}

// DiffersInTerraform says that there is an outcome for Terraform.
func (s *Scenario) DiffersInTerraform() bool {
	_, ok := s.section(sectionTerraform)
	return ok
}

// NeedsIdentity says that the scenario is about identities, which commands have
// since version 1.12.
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

// RecordTerraform writes the outcome of Terraform into the file, if it is another
// one than that of OpenTofu, whatever the order of calls.
func (s *Scenario) RecordTerraform(outcome string) error {
	if Unordered(outcome) == Unordered(s.Outcome(false)) {
		outcome = ""
	}
	s.set(sectionTerraform, outcome)
	return s.write()
}

// set replaces a section; outcomes are the last ones, and "" is none.
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
	return os.WriteFile(s.file, txtar.Format(s.archive), 0o644) //nolint:gosec // a file of the repository
}
