package main

import (
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"solved/server/tables"
	"solved/tablebase"
)

// TestOpenForWriting checks that a file that another has open for writing, or mapped so, is not
// served, and is tried again, though nothing shows that the writer has gone.
func TestOpenForWriting(t *testing.T) {
	for name, writer := range map[string]func(t *testing.T, path string) (leave func()){
		"open": func(t *testing.T, path string) func() {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			return func() { f.Close() }
		},
		"mapped": func(t *testing.T, path string) func() {
			pages := mapToWrite(t, path)
			copy(pages, slices.Clone(pages[:1])) // dirty from now on
			return func() { unix.Munmap(pages) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, p, path := servedToe(t, false)
			writeFile(t, path+".new", toeTable(t, true))
			leave := writer(t, path+".new")
			if err := os.Rename(path+".new", path); err != nil {
				t.Fatal(err)
			}
			if err := s.Reload(t.Context(), p, path); !errors.Is(err, tables.ErrInUse) {
				t.Errorf("reloaded: %v", err)
			}
			how := standard()
			how.Tables = []string{path}
			if other, err := allGames().Catalog().OpenTable(t.Context(), path, tablebase.Mapped); err != nil {
				t.Error(err)
			} else {
				if _, err := other.Verify(t.Context(), 1, false); !errors.Is(err, tables.ErrInUse) {
					t.Errorf("verified: %v", err)
				}
				other.Close()
			}
			s.FirstRetry, s.How.TablePoll = time.Millisecond, time.Millisecond
			following(t, s)
			until(t, "refused again", func() bool { _, failure := reloads(s, p); return failure >= 2 })
			leave()
			until(t, "served", func() bool { success, _ := reloads(s, p); return success == 1 })
		})
	}
}

// mapToWrite maps a file to write to it, and closes it.
func mapToWrite(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	pages, err := unix.Mmap(int(f.Fd()), 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// TestDirtyPage checks that a store into a page that was dirty before is seen once the file has
// settled, for those whom the system does not tell of writers; but not where there is no disk.
func TestDirtyPage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	writeFile(t, path, make([]byte, 4096))
	pages := mapToWrite(t, path)
	defer unix.Munmap(pages)
	pages[0] = 1
	f, _, err := tables.OpenRegular(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	was, err := tables.Settled(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	pages[1] = 1
	now, err := tables.StampOf(f)
	if err != nil {
		t.Fatal(err)
	}
	var system unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &system); err != nil {
		t.Fatal(err)
	}
	if disk := system.Type != unix.TMPFS_MAGIC; (now != was) != disk {
		t.Errorf("after a store: %v; before: %v; on a disk: %v", now, was, disk)
	}
}

// TestExchangedWhileOpening checks that the file that is mapped is the file that is watched,
// whatever is renamed while it is opened.
func TestExchangedWhileOpening(t *testing.T) {
	one, two := filepath.Join(t.TempDir(), "one.ttb"), filepath.Join(t.TempDir(), "two.ttb")
	contents := map[uint64][sha256.Size]byte{}
	for path, right := range map[string]bool{one: true, two: false} {
		data := toeTable(t, right)
		writeFile(t, path, data)
		now, err := tables.StampAt(path)
		if err != nil {
			t.Fatal(err)
		}
		contents[now.Inode] = sha256.Sum256(data)
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				if err := unix.Renameat2(unix.AT_FDCWD, one, unix.AT_FDCWD, two, unix.RENAME_EXCHANGE); err != nil {
					t.Error(err)
					return
				}
			}
		}
	}()
	seen := map[uint64]int{}
	for range 500 {
		f, err := allGames().Catalog().OpenTable(t.Context(), one, tablebase.Mapped)
		if err != nil {
			t.Fatal(err)
		}
		digest, err := f.Table.Verify(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		if digest.SHA256 != contents[f.Was.Inode] {
			t.Errorf("inode %d is watched, and another is mapped", f.Was.Inode)
		}
		seen[f.Was.Inode]++
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	<-stopped
	if len(seen) != 2 {
		t.Errorf("opened %v", seen)
	}
}
