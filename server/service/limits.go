package service

import (
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/time/rate"

	"solved/server/listener"
)

// MaxClients is the number of clients that the limiter remembers, at about 210 bytes each.
const MaxClients = 100_000

// Limiter gives each client a bucket of tokens, one for a position, which fills up
// at a steady rate. It implements api.Limiter.
//
// If there are more clients than it remembers, a new client takes over the bucket of the client
// that has not asked for the longest time. That bucket is most probably full again. If it is not,
// a client still gains nothing by being forgotten: it gets no more than a bucket's tokens.
type Limiter struct {
	rate    rate.Limit
	burst   int
	proxies listener.Proxies
	Refused prometheus.Counter
	Now     func() time.Time

	mu      sync.Mutex
	most    int // clients remembered
	Clients *simplelru.LRU[netip.Addr, *rate.Limiter]
}

// NewLimiter returns a limiter that refills each bucket of size burst at a rate per second.
func NewLimiter(perSecond, burst, clients int, p listener.Proxies, refused prometheus.Counter) *Limiter {
	remembered, err := simplelru.NewLRU[netip.Addr, *rate.Limiter](clients, nil)
	if err != nil {
		panic(err) // only for a size that is not positive
	}
	return &Limiter{rate: rate.Limit(perSecond), burst: burst, proxies: p, Refused: refused, Now: time.Now, most: clients, Clients: remembered}
}

// bucket returns a client's bucket.
func (l *Limiter) bucket(r *http.Request) *rate.Limiter {
	client := listener.RateLimitKey(l.proxies.Client(r))
	l.mu.Lock()
	defer l.mu.Unlock()
	if b, ok := l.Clients.Get(client); ok {
		return b
	}
	var b *rate.Limiter
	if l.Clients.Len() < l.most {
		b = rate.NewLimiter(l.rate, l.burst)
	} else {
		_, b, _ = l.Clients.RemoveOldest()
	}
	l.Clients.Add(client, b)
	return b
}

// Spend takes a cost from a client's bucket and returns 0. If the bucket holds less, it takes
// nothing and returns the time until the bucket holds enough. A cost is at most the size of a bucket.
func (l *Limiter) Spend(r *http.Request, cost int) time.Duration {
	b, now := l.bucket(r), l.Now()
	if b.AllowN(now, cost) {
		return 0
	}
	l.Refused.Inc()
	missing := float64(cost) - b.TokensAt(now)
	return max(time.Duration(missing/float64(l.rate)*float64(time.Second)), time.Millisecond)
}

// Charge takes a cost from a client's bucket, even if the bucket holds less. An overdrawn bucket
// has to fill up first.
func (l *Limiter) Charge(r *http.Request, cost int) {
	b, now := l.bucket(r), l.Now()
	for cost > 0 {
		part := min(cost, l.burst) // a bucket refuses more than it holds
		b.ReserveN(now, part)
		cost -= part
	}
}
