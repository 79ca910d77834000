package client

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"solved/api"
)

// What holds where no option says otherwise.
const (
	DefaultTries   = 4
	DefaultTime    = time.Minute
	DefaultLargest = 32 << 20 // twice the greatest batch with its moves
)

// Client asks one service. It is immutable and safe for concurrent use.
type Client struct {
	base      *url.URL
	http      *http.Client
	userAgent string
	tries     int
	time      time.Duration
	largest   int64
}

// Option changes how a Client asks.
type Option func(*Client)

// WithHTTPClient asks by a client of one's own: with another transport, say, or with
// credentials.
func WithHTTPClient(h *http.Client) Option { return func(c *Client) { c.http = h } }

// WithUserAgent says who asks.
func WithUserAgent(name string) Option { return func(c *Client) { c.userAgent = name } }

// WithTries bounds how often a question is asked, the first time included; 1 means
// that it is never asked again.
func WithTries(n int) Option { return func(c *Client) { c.tries = n } }

// WithTime bounds how long a call takes altogether, waiting included. 0 leaves that
// to the context.
func WithTime(d time.Duration) Option { return func(c *Client) { c.time = d } }

// WithLargest bounds the length, in bytes, of an answer that is read.
func WithLargest(bytes int64) Option { return func(c *Client) { c.largest = bytes } }

// New returns a client of the service at an address such as
// "https://solved.example". The address may have a path, if the service is beneath
// one.
func New(baseURL string, options ...Option) (*Client, error) {
	base, err := url.Parse(baseURL)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the address of the service: %w", err)
	case base.Scheme != "http" && base.Scheme != "https" || base.Host == "":
		return nil, fmt.Errorf("the address of the service must be http:// or https:// and a host, not %q", base.Redacted())
	case base.RawQuery != "" || base.ForceQuery || base.Fragment != "":
		return nil, fmt.Errorf("the address of the service must end with its path, not as %q", base.Redacted())
	}
	c := &Client{
		base:      base.JoinPath(),
		userAgent: "solved-client/" + api.Version,
		tries:     DefaultTries,
		time:      DefaultTime,
		largest:   DefaultLargest,
	}
	for _, option := range options {
		option(c)
	}
	switch {
	case c.tries < 1:
		return nil, fmt.Errorf("a question must be asked at least once, not %d times", c.tries)
	case c.time < 0:
		return nil, fmt.Errorf("a call cannot take %s", c.time)
	case c.largest < 1:
		return nil, fmt.Errorf("an answer cannot have %d bytes at most", c.largest)
	case strings.ContainsAny(c.userAgent, "\r\n\x00"):
		return nil, fmt.Errorf("%q cannot be a user agent", c.userAgent)
	}
	if c.http == nil {
		c.http = &http.Client{
			Transport: transport(),
			CheckRedirect: func(*http.Request, []*http.Request) error {
				return http.ErrUseLastResponse // the contract has none, and a batch would not survive most
			},
		}
	}
	return c, nil
}

// transport returns one that keeps enough connections for many goroutines to ask
// one service.
func transport() *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		ForceAttemptHTTP2:     true,
		TLSClientConfig:       &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:   10 * time.Second,
		MaxIdleConnsPerHost:   64,
		IdleConnTimeout:       90 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
}

// CloseIdleConnections closes the connections that no call is using. The client can
// be used afterwards.
func (c *Client) CloseIdleConnections() { c.http.CloseIdleConnections() }
