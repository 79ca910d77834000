package tablebase

// Mapping is a file's contents in memory, to be read.
type Mapping struct {
	data  []byte
	unmap func([]byte) error // nil where the system maps nothing for us
}

// Bytes returns the contents. They must not be written to, nor read after Close. Reading them
// can fault (see Guard), and they change when another program writes to the file.
func (m *Mapping) Bytes() []byte { return m.data }

// Close unmaps the file.
func (m *Mapping) Close() error {
	data := m.data
	m.data = nil
	if data == nil || m.unmap == nil {
		return nil
	}
	return m.unmap(data)
}
