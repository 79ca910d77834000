package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"solved/tablebase"
)

// canMakeFolder refuses a directory that is no directory, or in which a file of some name
// cannot be created; if it is missing, the nearest one above it that is there has to let
// it be made.
func canMakeFolder(dir, name string) error {
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			return tablebase.CanCreate(filepath.Join(at, name), 0)
		}
	}
}
