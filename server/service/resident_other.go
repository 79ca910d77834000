//go:build !linux

package service

import "os"

// ResidentByFile knows nothing here: there is no system call for it that is
// common.
func ResidentByFile() map[string]int64 { return nil }

func MappingName(*os.File) string { return "" }

// TellsResident says whether the system can be asked what is in memory.
const TellsResident = false
