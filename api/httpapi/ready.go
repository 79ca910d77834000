package httpapi

import (
	"net/http"

	"solved/api"
)

// livez answers as long as the process can.
func livez(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	writeJSON(w, http.StatusOK, contentJSON, api.Liveness{Live: true})
}

// readyz answers 200 when every configured table is verified.
func (h *handler) readyz(w http.ResponseWriter, _ *http.Request) {
	now := h.readiness()
	if now.Tables == nil {
		now.Tables = []api.TableState{}
	}
	if !now.Ready {
		p := api.NewProblem(api.TableUnavailable, "%s", now.Reason)
		p.Tables = now.Tables
		writeProblem(w, p)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	writeJSON(w, http.StatusOK, contentJSON, now)
}
