//go:build whole

package main

import "testing"

// TestWholeScript runs the scripts of testdata/whole, which go through all positions of
// tables of Tic Tac Chec.
func TestWholeScript(t *testing.T) { runScripts(t, "testdata/whole") }
