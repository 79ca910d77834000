package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"

	"solved/api"
)

// The Cache-Control of good answers.
const (
	// cacheForADay is for values: they are exact, and do not change as long as the
	// content digest does not, so a day is short.
	cacheForADay = "public, max-age=86400"
	// cacheForAnHour is for what changes with the program only.
	cacheForAnHour = "public, max-age=3600"
	// askAgain is for what may be kept, but not used without asking: it changes with
	// the state of the tables.
	askAgain = "no-cache"
)

// canonical returns the question that an answer is to.
func canonical(answer any) api.Canonical {
	if a, ok := answer.(interface{ Canonical() api.Canonical }); ok {
		return a.Canonical()
	}
	return api.Canonical{}
}

// digest returns the content digest of the table that answers now, empty when
// there is none or it is not verified.
func (p *prober) digest() string {
	switch t := p.Ruleset().Table; {
	case t == nil:
		return ""
	case t.Source == api.SourceClosedForm || t.Source == api.SourceSearch:
		return t.Source // what comes from it does not change but with the contract
	case t.ContentSHA256 != nil:
		return *t.ContentSHA256
	}
	return ""
}

// etag names the answer to a question. It is weak, since it names the values and
// not the bytes: it is made of the tag, the content digest, the version of the
// contract and the question alone, so that all replicas that hold equal values
// agree on it, whatever the form of their tables and the encoding of the body.
func (r *request) etag(digest string, q api.Canonical) string {
	text := make([]byte, 0, 256)
	for _, part := range [...]string{r.prober.rules.Tag, digest, api.Version, r.operation, q.Position} {
		text = append(append(text, part...), 0) // no part has a zero byte
	}
	text = strconv.AppendBool(text, q.Normalised)
	text = strconv.AppendInt(text, int64(r.plies), 10)
	return etagOf(text)
}

// etagOf returns the entity tag that is made of a text.
func etagOf(text []byte) string {
	sum := sha256.Sum256(text)
	tag := make([]byte, 0, len(`W/""`)+32)
	tag = append(tag, `W/"`...)
	tag = hex.AppendEncode(tag, sum[:16])
	return string(append(tag, '"'))
}

// named is an answer that is the same for every client that asks. Its own text names
// it: whatever in it changes, the name changes, too. That is weak, as the body may be
// compressed.
type named struct {
	content, caching, etag string
	body                   []byte
	ready                  *encoder // of the body; nil if that is not ready
}

func newNamed(content, caching string, body []byte) named {
	return named{content, caching, etagOf(body), body, nil}
}

func (n named) write(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header["Etag"] = []string{n.etag}
	header["Cache-Control"] = []string{n.caching}
	if known(r, n.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	a := &written{status: http.StatusOK, content: n.content, body: [][]byte{n.body}}
	if n.ready != nil {
		a.body, a.encoding = n.ready.encode(r, n.content, a.body)
	} else {
		a.encode(w)
	}
	a.write(w)
}

// known says whether the client names, by If-None-Match, the answer that it would
// get.
func known(r *http.Request, etag string) bool {
	for _, field := range r.Header.Values("If-None-Match") {
		if strings.TrimSpace(field) == "*" || holdsETag(field, etag) {
			return true
		}
	}
	return false
}

// holdsETag says whether a list of entity tags holds one that is equal to etag in
// the weak comparison of RFC 9110, section 8.8.3.2. It stops at what is not an
// entity tag.
func holdsETag(list, etag string) bool {
	opaque := strings.TrimPrefix(etag, "W/")
	for {
		list = strings.TrimLeft(list, " \t,")
		list = strings.TrimPrefix(list, "W/")
		if !strings.HasPrefix(list, `"`) {
			return false
		}
		end := strings.IndexByte(list[1:], '"')
		if end < 0 {
			return false
		}
		end += 2 // the two quotes
		if list[:end] == opaque {
			return true
		}
		list = list[end:]
	}
}

// cacheable writes the headers of an answer that stays good.
func cacheable(header http.Header, etag string) {
	header["Etag"] = []string{etag} // the canonical name of ETag
	header["Cache-Control"] = []string{cacheForADay}
}

// uncached keeps what a handler answers out of all caches.
func uncached(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}
