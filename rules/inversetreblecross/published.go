package inversetreblecross

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed testdata/treblecross-tables.json
var publishedTables []byte

// published holds the two tables that were published with the theorem.
type published struct {
	// SingleMark[a][b] is the value of [aXb], three in a row being forbidden.
	SingleMark [][]int `json:"single_mark"`
	// EmptyStrip[k][n] is the value of [n] when k in a row are forbidden.
	EmptyStrip map[int][]int `json:"empty_strip"`
}

func readPublished() (published, error) {
	var p published
	if err := json.Unmarshal(publishedTables, &p); err != nil {
		return p, fmt.Errorf("the published tables: %w", err)
	}
	return p, nil
}

// publishedRings are the published values of rings, three in a row being forbidden, by
// their number of cells modulo 10; those that were left open are -1.
var publishedRings = [10]int{0, -1, 0, 0, 0, 1, 0, 0, 0, -1}
