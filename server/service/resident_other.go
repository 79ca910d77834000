//go:build !linux

package service

import "os"

// ResidentByFile returns nil: this system does not tell.
func ResidentByFile() map[string]int64 { return nil }

// MappingName returns no name: this system does not tell.
func MappingName(*os.File) string { return "" }

// TellsResident says whether the system tells how much of a file is in memory.
const TellsResident = false
