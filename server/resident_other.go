//go:build !linux

package main

import "os"

// residentByFile knows nothing here: there is no system call for it that is
// common.
func residentByFile() map[string]int64 { return nil }

func mappingName(*os.File) string { return "" }

// tellsResident says whether the system can be asked what is in memory.
const tellsResident = false
