package demo

import (
	"os"
	"path/filepath"
)

// Storage is where a notebook keeps its files. Paths are absolute and clean, and
// what is not there is an fs.ErrNotExist. Its methods may be called from many
// goroutines at once.
type Storage interface {
	Read(path string) ([]byte, error)
	// Write makes the folders that are missing, and writes all of the file or
	// nothing.
	Write(path string, content []byte) error
	Remove(path string) error
	// List is the names of what is in a folder.
	List(folder string) ([]string, error)
}

// disk is the machine's own file system, where another process finds the files.
type disk struct{}

func (disk) Read(path string) ([]byte, error) { return os.ReadFile(path) }

func (disk) Write(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", content, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

func (disk) Remove(path string) error { return os.Remove(path) }

func (disk) List(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, err
}
