package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"solved/tablebase"
)

// canMakeFolder returns an error if a file of this name cannot be created in dir. If dir is
// missing, it checks the nearest existing directory above it.
func canMakeFolder(dir, name string) error {
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			return tablebase.CanCreate(filepath.Join(at, name), 0)
		}
	}
}
