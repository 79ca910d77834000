package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"

	"solved/api"
	"solved/api/client"
)

// A program that asks for a name's tag, for the best moves, for many positions at
// once, and for what cannot be. The service is one of a game of two positions.
func Example() {
	service := httptest.NewServer(newHandler(games()...))
	defer service.Close()
	ctx := context.Background()

	c, err := client.New(service.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.CloseIdleConnections()

	// Once: the tag goes into every question, so that no answer is for other rules.
	_, tag, err := c.Ruleset(ctx, "pair")
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := c.Best(ctx, tag, client.At("2"))
	if err != nil {
		fmt.Println(err)
		return
	}
	best := answer.(*api.PiecesProbe) // of which kind the answers are, the ruleset says
	fmt.Printf("%s: %s in %d, by %s\n", best.Position, best.Value, *best.Distance, best.Moves[0].Move)

	results, err := c.Batch(ctx, tag, []string{"2", "7", "0"}, false)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range results {
		if r.Problem != nil {
			fmt.Println(r.Problem.Kind(), "-", r.Problem.Detail)
			continue
		}
		switch p := r.Probe.(type) {
		case *api.PiecesProbe:
			fmt.Println(p.Position, p.Value)
		case *api.ChanceProbe:
			fmt.Println(p.Position, p.PWin)
		}
	}

	_, err = c.Probe(ctx, tag, client.FromStart("one"))
	var problem *api.Problem
	if errors.As(err, &problem) && problem.Kind() == api.IllegalMove {
		fmt.Println("move", *problem.Ply, "is not among", problem.Legal)
	}

	// Output:
	// 2: win in 1, by both
	// 2 win
	// malformed-position - The position does not parse: at byte 0, found something else, expected 2 or 0.
	// 0 loss
	// move 1 is not among [both]
}
