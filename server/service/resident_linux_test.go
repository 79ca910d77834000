package service

import (
	"maps"
	"strings"
	"testing"
)

func TestParseResident(t *testing.T) {
	const text = `55d0c0a00000-55d0c1e00000 r-xp 00000000 08:01 77                         /usr/bin/solved
Size:              20480 kB
Rss:                1000 kB
VmFlags: rd ex mr mw me
7f00-7f01 rw-p 00000000 00:00 0
Rss:                   4 kB
7f01-7f02 r--s 00000000 08:01 1234                       /srv/some tables/c.ttb (deleted)
Rss:                   8 kB
Pss:                   2 kB
7f02-7f03 r--s 00001000 08:01 1234                       /srv/some tables/c.ttb (deleted)
Rss:                  12 kB
7ffc-7ffd rw-p 00000000 00:00 0                          [stack]
Rss:                 132 kB
`
	got, err := ParseResident(strings.NewReader(text))
	want := map[string]int64{"/usr/bin/solved": 1000 << 10, "/srv/some tables/c.ttb (deleted)": 20 << 10}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	for _, wrong := range []string{"Rss: x kB\n", "Rss: 4 MB\n"} {
		if _, err := ParseResident(strings.NewReader("1-2 r 0 0:0 1 /x\n" + wrong)); err == nil {
			t.Errorf("%q is understood", wrong)
		}
	}
}
