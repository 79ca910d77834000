package httpapi

import (
	"math"
	"net/http"
	"time"

	"solved/api"
)

// Limiter limits what each client may ask for. A cost is a number of positions looked up
// in a table, or of what takes as long. It is called concurrently.
type Limiter interface {
	// Spend asks for a cost before it is incurred. It returns 0 if the client
	// may, and else how long the client would have to wait.
	Spend(r *http.Request, cost int) time.Duration
	// Charge takes a cost that was known only afterwards, of any size.
	Charge(r *http.Request, cost int)
}

const (
	// movesPerCost is how many moves of a list cost as much as one position to play.
	movesPerCost = 100
	// metricsCost is what gathering the metrics costs.
	metricsCost = 10
)

// spend takes what a request costs from its client's share, or refuses it.
func (h *handler) spend(r *http.Request, cost int) error {
	if h.limiter == nil {
		return nil
	}
	wait := h.limiter.Spend(r, cost)
	if wait <= 0 {
		return nil
	}
	seconds := max(1, int(math.Ceil(wait.Seconds())))
	return api.RateLimitedProblem(cost, seconds)
}

// charge takes from a client's share what was not known beforehand.
func (h *handler) charge(r *http.Request, cost int) {
	if h.limiter != nil && cost > 0 {
		h.limiter.Charge(r, cost)
	}
}

// spending lets a client have what costs it so much.
func (h *handler) spending(cost int, next http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := h.spend(r, cost); err != nil {
			writeProblem(w, api.ProblemOf(err))
			return
		}
		next.ServeHTTP(w, r)
	}
}
