package main

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"solved/api"
	"solved/rules"
	"solved/server/game"
	"solved/server/tables"
)

// The laws that every ruleset keeps, whatever its game: those of rules.Game, rules.Position
// and rules.Stochastic, and what the list of games says of it.

// TestLawsOfRulesets checks what each ruleset says of itself, and that no two say the same.
func TestLawsOfRulesets(t *testing.T) {
	names, tags := map[string]bool{}, map[rules.Tag]bool{}
	name := regexp.MustCompile(`^[a-z]+(-[a-z0-9]+)*$`)
	for _, g := range allGames() {
		a := g.About()
		if !name.MatchString(a.Name) || names[a.Name] || tags[a.Tag] || a.Tag == 0 {
			t.Errorf("%s is not a new name with a new tag", game.DescribeAbout(a))
		}
		names[a.Name], tags[a.Tag] = true, true
		if a.Game == "" || a.Title == "" || !strings.HasSuffix(a.Summary, ".") {
			t.Errorf("%s is described as %+v", a.Name, a)
		}
		if tag, err := rules.ParseTag(a.Tag.String()); err != nil || tag != a.Tag {
			t.Errorf("the tag of %s is read back as %s, %v", a.Name, tag, err)
		}
		for _, called := range []string{a.Name, a.Tag.String(), strings.ToUpper(a.Tag.String())} {
			if found, err := allGames().Find(called); err != nil || found.About() != a {
				t.Errorf("%s is not found as %s: %v", a.Name, called, err)
			}
		}
		if _, err := allGames().Find(strings.ToUpper(a.Name)); err == nil {
			t.Errorf("%s is found in upper case", a.Name)
		}
		if !slices.Contains(api.Kinds(), g.Kind()) {
			t.Errorf("%s is of the kind %q", a.Name, g.Kind())
		}
		if k := g.Files(); k != nil && (k.Ruleset.Name != a.Name || k.Ruleset.Tag != a.Tag || len(k.Formats) == 0) {
			t.Errorf("tables of %s are those of %s, in the formats %v", game.DescribeAbout(a), tables.Describe(k.Ruleset), k.Formats)
		}
		if start, err := g.Parse(g.Start().String()); err != nil || start.String() != g.Start().String() {
			t.Errorf("the start of %s is read back as %v, %v", a.Name, start, err)
		}
		seen := map[string]bool{}
		for _, e := range g.Examples() {
			p, err := g.Parse(e.Position)
			if err != nil || p.String() != e.Position || e.Summary == "" || !name.MatchString(e.Name) || seen[e.Name] {
				t.Errorf("%s has the example %+v: %v", a.Name, e, err)
			}
			seen[e.Name] = true
		}
		if len(g.Examples()) == 0 || g.Examples()[0].Name != "start" || g.Examples()[0].Position != g.Start().String() {
			t.Errorf("the first example of %s is not its start", a.Name)
		}
	}
	if len(names) < 6 {
		t.Errorf("%d rulesets", len(names))
	}
}

// TestLawsOfAnswers asks each ruleset about its start and its examples: the answers are of its
// kind, their moves those of the rules, the best of them the optimal ones, and a line begins
// with one of these.
func TestLawsOfAnswers(t *testing.T) {
	s := quietService(t)
	if err := s.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, p := range s.Probers {
		name := p.Game().About().Name
		for _, e := range p.Examples() {
			q := api.Question{Position: &e.Position}
			answer, err := game.ProbeOne(t.Context(), p, q)
			if err != nil {
				t.Errorf("%s, %s: %v", name, e.Name, err)
				continue
			}
			if answer.Ruleset() != p.ID() {
				t.Errorf("%s, %s is answered for %v", name, e.Name, answer.Ruleset())
			}
			position, err := p.Game().Parse(e.Position)
			if err != nil {
				t.Fatal(err)
			}
			var listed, optimal []string
			for _, c := range answer.Choices() {
				if listed = append(listed, c.Move); c.Optimal {
					optimal = append(optimal, c.Move)
				}
			}
			legal := slices.Collect(firstOf(position, rules.MaxLegal+1))
			if answer.AllMoves() {
				sorted := slices.Sorted(slices.Values(listed))
				if slices.Sort(legal); !slices.Equal(sorted, legal) {
					t.Errorf("%s, %s: the moves are %v, want %v", name, e.Name, sorted, legal)
				}
			}
			if (len(optimal) == 0) != (len(listed) == 0) || len(optimal) > 0 && optimal[0] != listed[0] {
				t.Errorf("%s, %s: of %v the optimal ones are %v", name, e.Name, listed, optimal)
			}
			var best []string
			for _, c := range answer.Best().Choices() {
				best = append(best, c.Move)
			}
			if !slices.Equal(best, optimal) {
				t.Errorf("%s, %s: the best are %v, want %v", name, e.Name, best, optimal)
			}
			line, err := p.Line(t.Context(), q, 1, nil)
			if err != nil || line.Length() > 1 || line.Ruleset() != p.ID() {
				t.Errorf("%s, %s: a line of %v, %v", name, e.Name, line, err)
			}
		}
	}
}

// firstOf are the first moves of a position, n at most.
func firstOf(p rules.Position, n int) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		left := n
		for move := range p.Moves() {
			if left == 0 || !yield(move) {
				return
			}
			left--
		}
	}
}

// someMoves is how many moves of a position are tried.
const someMoves = 40

// checkLaws checks the laws of one position.
func checkLaws(t *rapid.T, g rules.Game, p rules.Position) {
	text := p.String()
	result := p.Result()
	moves := slices.Collect(firstOf(p, someMoves))
	if (len(moves) == 0) != (result != rules.Unknown) {
		t.Fatalf("%s: %d moves, the result is %s", text, len(moves), result)
	}
	if d := p.Diagram(); !strings.HasSuffix(d, "\n") || strings.Contains(d, "\t") {
		t.Fatalf("%s is drawn as %q", text, d)
	}
	stochastic, dice := p.(rules.Stochastic)
	again, err := g.Parse(text)
	switch {
	case err != nil && dice && result != rules.Unknown: // has no text of its own
	case err != nil:
		t.Fatalf("%s is not read back: %v", text, err)
	case again.String() != text || again.Result() != result || !slices.Equal(slices.Collect(firstOf(again, someMoves)), moves):
		t.Fatalf("%s is read back as %s, another position", text, again)
	}
	seen := map[string]bool{}
	for _, move := range moves {
		if seen[move] || move == "" || strings.ContainsAny(move, ", &?#%+/") {
			t.Fatalf("%s: the move %q is there twice, or cannot be in a list in an address", text, move)
		}
		seen[move] = true
		texts := []string{move}
		if dice {
			if outcomes := stochastic.Outcomes(move); len(outcomes) > 0 {
				texts = outcomes
				var malformed *rules.MalformedMoveError
				if _, _, err := p.Play(move); !errors.As(err, &malformed) {
					t.Fatalf("%s: %s can be played without what comes of it: %v", text, move, err)
				}
			}
		}
		for _, text := range texts {
			next, passes, err := p.Play(text)
			if err != nil {
				t.Fatalf("%s: %s cannot be played: %v", p, text, err)
			}
			if !dice && !passes {
				t.Fatalf("%s: after %s the same side is to move", p, text)
			}
			end, same, err := rules.PlayMoves(p, text)
			if err != nil || end.String() != next.String() || same == passes {
				t.Fatalf("%s: %s as a list leads to %v, %t, %v", p, text, end, same, err)
			}
		}
	}
	if p.String() != text || p.Result() != result {
		t.Fatalf("%s has become %s", text, p)
	}
}

// randomPosition plays on from the start or an example by moves taken at random, and checks the
// laws all the way. It returns where it began, the moves, and where it came to.
func randomPosition(t *rapid.T, g game.Game, longest int) (from rules.Position, played []string, to rules.Position) {
	from = g.Start()
	if e := rapid.IntRange(-1, len(g.Examples())-1).Draw(t, "example"); e >= 0 {
		var err error
		if from, err = g.Parse(g.Examples()[e].Position); err != nil {
			t.Fatal(err)
		}
	}
	to = from
	for range rapid.IntRange(0, longest).Draw(t, "moves") {
		moves := slices.Collect(firstOf(to, someMoves))
		if len(moves) == 0 {
			break
		}
		move := rapid.SampledFrom(moves).Draw(t, "move")
		if stochastic, ok := to.(rules.Stochastic); ok {
			if outcomes := stochastic.Outcomes(move); len(outcomes) > 0 {
				move = rapid.SampledFrom(outcomes).Draw(t, "outcome")
			}
		}
		next, _, err := to.Play(move)
		if err != nil {
			t.Fatalf("%s: %s cannot be played: %v", to, move, err)
		}
		played, to = append(played, move), next
	}
	return from, played, to
}

// TestLawsOfPositions plays every game at random, and checks the laws of the positions that
// come of it; a list of moves leads where its moves lead one by one.
func TestLawsOfPositions(t *testing.T) {
	for _, g := range allGames() {
		t.Run(g.About().Name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				from, played, to := randomPosition(t, g, 30)
				checkLaws(t, g, to)
				end, _, err := rules.PlayMoves(from, strings.Join(played, ","))
				if err != nil || end.String() != to.String() {
					t.Fatalf("%v from %s leads to %v, %v, not to %s", played, from, end, err, to)
				}
			})
		})
	}
}

// odd draws a text that may be nearly right: any at all, or a good one with something changed.
func odd(t *rapid.T, good ...string) string {
	if rapid.IntRange(0, 3).Draw(t, "any") == 0 {
		return rapid.OneOf(rapid.String(), rapid.StringMatching(`[0-9a-zA-Z.,/@ _:-]{0,40}`),
			rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 40), func(b []byte) string { return string(b) })).Draw(t, "text")
	}
	text := rapid.SampledFrom(good).Draw(t, "good")
	from := rapid.IntRange(0, len(text)).Draw(t, "from")
	to := rapid.IntRange(from, min(len(text), from+3)).Draw(t, "to")
	return text[:from] + rapid.OneOf(rapid.StringMatching(`[0-9a-zA-Z.,/@ _:-]{0,3}`), rapid.StringN(0, 3, -1)).Draw(t, "with") + text[to:]
}

// TestLawsOfRefusals reads texts that are wrong or nearly right: nothing panics, what is refused
// is refused with an error that says where, and what is taken is a position or a move like any.
func TestLawsOfRefusals(t *testing.T) {
	for _, g := range allGames() {
		t.Run(g.About().Name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				_, played, to := randomPosition(t, g, 6)
				texts := []string{g.Start().String(), to.String()}
				for _, e := range g.Examples() {
					texts = append(texts, e.Position)
				}
				text := odd(t, texts...)
				p, err := g.Parse(text)
				var malformed *rules.MalformedPositionError
				var illegal *rules.IllegalPositionError
				switch {
				case err == nil:
					checkLaws(t, g, p)
				case p != nil:
					t.Fatalf("%q is %v, and refused: %v", text, p, err)
				case errors.As(err, &malformed):
					if malformed.Position != text || malformed.Offset < 0 || malformed.Offset > len(text) || malformed.Detail == "" {
						t.Fatalf("%q: %#v", text, malformed)
					}
				case errors.As(err, &illegal):
					if illegal.Position != text || illegal.Reason == "" || illegal.Detail == "" {
						t.Fatalf("%q: %#v", text, illegal)
					}
				default:
					t.Fatalf("%q: %v", text, err)
				}

				legal := slices.Collect(firstOf(to, rules.MaxLegal))
				move := odd(t, append([]string{"a1", "1", "roll-3"}, legal...)...)
				checkRefusal(t, to, move, 1, 0, legal)
				if len(played) > 0 && !strings.Contains(move, ",") && move != "" {
					// In a list it is refused in its place.
					list := strings.Join(played, ",")
					from := g.Start()
					if end, _, err := rules.PlayMoves(from, list); err == nil {
						checkRefusal(t, from, list+","+move, len(played)+1, len(list)+1, slices.Collect(firstOf(end, rules.MaxLegal)))
					}
				}
			})
		})
	}
}

// checkRefusal plays a list of moves of which the last may be wrong, and checks that an error
// says which it is: its ply, where it begins, and what is legal there.
func checkRefusal(t *rapid.T, p rules.Position, list string, ply, start int, legal []string) {
	move := list[start:]
	var end rules.Position
	var err error
	if ply == 1 {
		end, _, err = p.Play(move)
	} else {
		end, _, err = rules.PlayMoves(p, list)
	}
	var malformed *rules.MalformedMoveError
	var illegal *rules.IllegalMoveError
	switch {
	case err == nil:
		if end == nil {
			t.Fatalf("%s: %q leads nowhere", p, list)
		}
	case end != nil:
		t.Fatalf("%s: %q leads to %s, and is refused: %v", p, list, end, err)
	case errors.As(err, &malformed):
		if malformed.Move != move || malformed.Ply != ply || malformed.Offset < start || malformed.Offset > len(list) || malformed.Detail == "" {
			t.Fatalf("%s: %q: %#v", p, list, malformed)
		}
		if slices.Contains(legal, move) {
			if c, ok := p.(rules.Stochastic); !ok || len(c.Outcomes(move)) == 0 && ply == 1 {
				t.Fatalf("%s: %q is legal, and malformed: %v", p, list, err)
			}
		}
	case errors.As(err, &illegal):
		if illegal.Move != move || illegal.Ply != ply || illegal.Detail == "" || !slices.Equal(illegal.Legal, legal) || slices.Contains(legal, move) {
			t.Fatalf("%s: %q: %#v", p, list, illegal)
		}
	default:
		t.Fatalf("%s: %q: %v", p, list, err)
	}
}
