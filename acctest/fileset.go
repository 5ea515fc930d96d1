package acctest

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/posixform/terraform-provider-posix/engine/configs"
)

// fileSet is the configuration of a step: files by name, as in a working directory.
type fileSet struct {
	// dir is the directory of the files, "" if they are in memory.
	dir     string
	content map[string][]byte
	// implied means that the configuration requires the providers of the test
	// implicitly, so that it can call their functions.
	implied bool
}

// configName is the file name that terraform-plugin-testing gives to a Config; messages
// contain it.
const configName = "terraform_plugin_test.tf"

// stepFiles returns the configuration of a step, or nil if the step has none.
func stepFiles(s *resource.TestStep, number int, name string) (*fileSet, error) {
	req := config.TestStepConfigRequest{StepNumber: number, TestName: name}
	if dir := s.ConfigDirectory.Exec(req); dir != "" {
		return readDir(dir)
	}
	if file := s.ConfigFile.Exec(req); file != "" {
		b, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("ConfigFile: %w", err)
		}
		return &fileSet{content: map[string][]byte{filepath.Base(file): b}}, nil
	}
	if s.Config != "" {
		files := textFile(s.Config)
		files.implied = !terraformBlock.MatchString(s.Config)
		return files, nil
	}
	return nil, nil
}

// readDir reads the files of a directory, without its subdirectories.
func readDir(dir string) (*fileSet, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("ConfigDirectory: %w", err)
	}
	out := &fileSet{dir: dir, content: map[string][]byte{}}
	for _, entry := range entries {
		if entry.IsDir() {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return nil, fmt.Errorf("ConfigDirectory: %w", err)
		}
		out.content[entry.Name()] = b
	}
	return out, nil
}

var terraformBlock = regexp.MustCompile(`\bterraform\s*\{`)

var providerBlock = regexp.MustCompile(`\bprovider\s*("[^"]*"|\s[A-Za-z0-9_-]+)\s*\{`)

func (f *fileSet) haveProviderBlock() bool {
	for _, b := range f.content {
		if providerBlock.Match(b) {
			return true
		}
	}
	return false
}

// textFile returns a configuration given as HCL or JSON text.
func textFile(text string) *fileSet {
	name := configName
	if json.Valid([]byte(text)) {
		name += ".json"
	}
	return &fileSet{content: map[string][]byte{name: []byte(text)}}
}

// with returns a copy in which the named file has the text.
func (f *fileSet) with(name, text string) *fileSet {
	out := &fileSet{dir: f.dir, content: maps.Clone(f.content), implied: f.implied}
	out.content[name] = []byte(text)
	return out
}

// Base returns the directory that functions resolve relative paths against. It implements
// configs.Located.
func (f *fileSet) Base() string { return f.dir }

// List implements configs.Source. Files of the step take precedence over those on disk;
// modules may be in other directories.
func (f *fileSet) List(dir string) ([]string, error) {
	names, err := configs.Files(f.content).List(dir)
	if err == nil || f.dir == "" && !filepath.IsAbs(filepath.FromSlash(dir)) {
		return names, err
	}
	return configs.Directory(f.dir).List(dir)
}

// Read implements configs.Source.
func (f *fileSet) Read(name string) ([]byte, error) {
	if b, ok := f.content[name]; ok || f.dir == "" && !filepath.IsAbs(filepath.FromSlash(name)) {
		return b, nil
	}
	return configs.Directory(f.dir).Read(name)
}
