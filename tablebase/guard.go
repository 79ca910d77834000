package tablebase

import "runtime/debug"

// Guard is deferred around everything that touches a mapped file, whose memory is there only
// as long as the file is: another program can cut it short. It restores the goroutine's
// setting, which debug.SetPanicOnFault(true) has returned, and turns a fault into a *FaultError
// at the offset that was being read. It has to be deferred itself, not called by a deferred function.
func Guard(path string, restore bool, offset *int64, err *error) {
	debug.SetPanicOnFault(restore)
	r := recover()
	if r == nil {
		return
	}
	fault, ok := r.(interface {
		error
		Addr() uintptr // what tells a fault from other run-time errors
	})
	if !ok {
		panic(r)
	}
	*err = &FaultError{Path: path, Offset: *offset, Err: fault}
}
