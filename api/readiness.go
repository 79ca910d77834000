package api

// Readiness says whether the service can answer, and how each table stands.
type Readiness struct {
	Ready bool `json:"ready"`
	// Reason says in a sentence why the service is not ready; empty when it is.
	Reason string       `json:"-"`
	Tables []TableState `json:"tables" nullable:"false"`
}

// Liveness says that the process can answer.
type Liveness struct {
	Live bool `json:"live"`
}

// TableState is how a configured table stands.
type TableState struct {
	Rules  Rules   `json:"rules"`
	Source string  `json:"source" enum:"embedded,mapped,memory,closed-form,search"`
	File   *string `json:"file" doc:"The file's base name; null when embedded."`
	State  string  `json:"state" enum:"verifying,ready,failed,degraded"`
	Reason *string `json:"reason" doc:"Why the table is in this state; null when it is ready."`
}

// The values of TableState.State.
const (
	StateVerifying = "verifying"
	StateReady     = "ready"
	StateFailed    = "failed"
	StateDegraded  = "degraded"
)
