package configs

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Source is where configuration is read from. Names are relative, with slashes,
// and may begin with "..".
type Source interface {
	// List has the names of the files of a folder, in any order, without the
	// folder and without the folders in it. It is fs.ErrNotExist for a folder
	// that does not exist.
	List(dir string) ([]string, error)
	// Read is a file's content, which nobody changes.
	Read(name string) ([]byte, error)
}

// Located is a Source that is somewhere on disk. Functions find files there, as
// they do in the working directory of a command.
type Located interface {
	Source
	// Base is the folder that names are relative to, "" for the working directory.
	Base() string
}

var _ Located = Directory("")

// Files is a Source in memory: from names, such as "main.tf" or
// "modules/x/main.tf", to contents. The folder "." always exists.
type Files map[string][]byte

// List has the files of the folder.
func (f Files) List(dir string) ([]string, error) {
	var names []string
	found := dir == "."
	for name := range f {
		in, base := path.Split(path.Clean(name))
		switch in = path.Clean(in); {
		case in == dir:
			names = append(names, base)
		case !found:
			found = strings.HasPrefix(in, dir+"/")
		}
	}
	if !found && len(names) == 0 {
		return nil, fmt.Errorf("folder %s: %w", dir, fs.ErrNotExist)
	}
	return names, nil
}

// Read is the content under the name.
func (f Files) Read(name string) ([]byte, error) {
	if content, ok := f[name]; ok {
		return content, nil
	}
	for other, content := range f { // a name that was not clean
		if path.Clean(other) == name {
			return content, nil
		}
	}
	return nil, fmt.Errorf("file %s: %w", name, fs.ErrNotExist)
}

// Directory is a Source on disk: names are relative to the folder.
type Directory string

// Base is the folder.
func (f Directory) Base() string { return string(f) }

// List has the regular files of the folder, and links.
func (f Directory) List(dir string) ([]string, error) {
	entries, err := os.ReadDir(f.path(dir))
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(entries))
	for _, entry := range entries {
		if !entry.IsDir() {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}

// Read is the content of the file.
func (f Directory) Read(name string) ([]byte, error) { return os.ReadFile(f.path(name)) }

func (f Directory) path(name string) string {
	if filepath.IsAbs(filepath.FromSlash(name)) {
		return filepath.FromSlash(name)
	}
	return filepath.Join(string(f), filepath.FromSlash(name))
}
