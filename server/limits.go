package main

import (
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/time/rate"
)

// maxClients is how many clients the limiter remembers, at about 210 bytes each.
const maxClients = 100_000

// limiter gives each client a bucket of tokens, one for a position, which fills up
// at a steady rate. It implements api.Limiter.
//
// When there are more clients than it remembers, a new one takes over the bucket of
// the one that has not asked for the longest time. That one has most probably filled
// up again; if not, there is still nothing to be had by being forgotten: all the
// clients in the world cannot spend more than there are buckets.
type limiter struct {
	rate    rate.Limit
	burst   int
	proxies proxies
	refused prometheus.Counter
	now     func() time.Time

	mu      sync.Mutex
	most    int // clients remembered
	clients *simplelru.LRU[netip.Addr, *rate.Limiter]
}

func newLimiter(perSecond, burst, clients int, p proxies, refused prometheus.Counter) *limiter {
	remembered, err := simplelru.NewLRU[netip.Addr, *rate.Limiter](clients, nil)
	if err != nil {
		panic(err) // only for a size that is not positive
	}
	return &limiter{rate: rate.Limit(perSecond), burst: burst, proxies: p, refused: refused, now: time.Now, most: clients, clients: remembered}
}

// bucket returns a client's bucket.
func (l *limiter) bucket(r *http.Request) *rate.Limiter {
	client := household(l.proxies.client(r))
	l.mu.Lock()
	defer l.mu.Unlock()
	if b, ok := l.clients.Get(client); ok {
		return b
	}
	var b *rate.Limiter
	if l.clients.Len() < l.most {
		b = rate.NewLimiter(l.rate, l.burst)
	} else {
		_, b, _ = l.clients.RemoveOldest()
	}
	l.clients.Add(client, b)
	return b
}

// Spend takes a cost from a client's bucket, or returns how long it will be until
// the bucket holds so much. A cost is at most the size of a bucket.
func (l *limiter) Spend(r *http.Request, cost int) time.Duration {
	b, now := l.bucket(r), l.now()
	if b.AllowN(now, cost) {
		return 0
	}
	l.refused.Inc()
	missing := float64(cost) - b.TokensAt(now)
	return max(time.Duration(missing/float64(l.rate)*float64(time.Second)), time.Millisecond)
}

// Charge takes a cost from a client's bucket, whether or not it holds so much. One
// that is overdrawn has to fill up first.
func (l *limiter) Charge(r *http.Request, cost int) {
	b, now := l.bucket(r), l.now()
	for cost > 0 {
		part := min(cost, l.burst) // a bucket refuses more than it holds
		b.ReserveN(now, part)
		cost -= part
	}
}

// household is what counts as one client: an IPv4 address, or as many IPv6
// addresses as one subscriber has at least, and so could use in turn.
func household(a netip.Addr) netip.Addr {
	if !a.Is6() {
		return a
	}
	network, err := a.Prefix(64)
	if err != nil {
		return a
	}
	return network.Addr()
}
