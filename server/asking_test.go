package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"solved/rules"
	"solved/rules/tictacchec"
	"solved/rules/tictactoe"
	"solved/server/games/tictacchec/tictacchectest"
	"solved/server/service"
)

// asking are clients that ask a server for the same few positions over and over,
// and hold each answer, byte for byte, to what one of a few tables says. The
// tables are in an order, in which one may come again, and a client that has seen one must not see
// an earlier one.
type asking struct {
	base   string
	tables []string
	// answers are the answers of each table to each question.
	answers map[string][][]byte
	clients [4]askingClient
	stop    chan struct{}
	wait    sync.WaitGroup
}

type askingClient struct {
	mu     sync.Mutex
	rounds int // in each of which every question was asked
	table  int // that answered last
	err    error
}

// askingQuestions tell the tables of drawtable and the embedded one apart.
var askingQuestions = []string{
	"/v1/tic-tac-toe/probe",
	"/v1/tic-tac-toe/probe?position=XX./OO./...",
}

// wonEntries are what the table of "drawtable FILE TAG won" holds.
type wonEntries struct{ tictacchectest.DrawnEntries }

// wonIndex is the index of the one position that is not a draw there: after
// P@a1, which has lost in 2.
const wonIndex = 1

func (w wonEntries) Entries(positions []tictacchec.Position, out []rules.Entry) error {
	if err := w.DrawnEntries.Entries(positions, out); err != nil {
		return err
	}
	for i, p := range positions {
		if section, index := p.Index(); section == rules.Opening && index == wonIndex {
			out[i] = rules.Entry{Value: rules.Loss, Distance: 2}
		}
	}
	return nil
}

// answersOf returns the answers of the tables of tic-tac-toe by name, whatever form they
// have. It writes the tables into a directory.
func answersOf(dir string) (map[string][][]byte, error) {
	tag := tictactoe.Rulesets()[0].Ruleset().Tag
	all := make(map[string][][]byte)
	for _, name := range []string{"draws", "won", "embedded"} {
		how := standard()
		if name != "embedded" {
			path := filepath.Join(dir, name+".ttb")
			if err := writeDrawTable(path, tag, name == "won"); err != nil {
				return nil, err
			}
			how.Tables, how.AnyDigest = []string{path}, true
		}
		var err error
		if all[name], err = answersBy(how); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return all, nil
}

// answersBy returns what a service answers.
func answersBy(how service.Config) (answers [][]byte, err error) {
	s, err := service.New(allGames(), how, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := s.Verify(context.Background()); err != nil {
		return nil, err
	}
	handler := s.Handler()
	for _, question := range askingQuestions {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, question, nil))
		if w.Code != http.StatusOK {
			return nil, fmt.Errorf("%d %s", w.Code, w.Body)
		}
		answers = append(answers, w.Body.Bytes())
	}
	return answers, nil
}

// run asks until it is stopped or something is wrong.
func (a *asking) run(c *askingClient) {
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: time.Minute}
	for {
		select {
		case <-a.stop:
			return
		default:
		}
		for i, question := range askingQuestions {
			if err := a.ask(client, c, i, question); err != nil {
				c.mu.Lock()
				c.err = err
				c.mu.Unlock()
				return
			}
		}
		c.mu.Lock()
		c.rounds++
		c.mu.Unlock()
	}
}

func (a *asking) ask(client *http.Client, c *askingClient, i int, question string) error {
	response, err := client.Get(a.base + question)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if response.StatusCode == http.StatusOK {
		for t := c.table; t < len(a.tables); t++ {
			if bytes.Equal(body, a.answers[a.tables[t]][i]) {
				c.table = t
				return nil
			}
		}
	}
	return fmt.Errorf("%s after %d rounds, when the table was %q of %q: %d %.300s", question, c.rounds, a.tables[c.table], a.tables, response.StatusCode, body)
}

// await waits until every client has asked some more, so that what was there before
// has been seen.
func (a *asking) await(ts *testscript.TestScript) {
	for i := range a.clients {
		c := &a.clients[i]
		until := -1
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
			c.mu.Lock()
			rounds, err := c.rounds, c.err
			c.mu.Unlock()
			ts.Check(err)
			if until < 0 {
				until = rounds + 2 // one may be under way
			}
			if rounds >= until {
				break
			}
			if time.Now().After(deadline) {
				ts.Fatalf("%d rounds in a minute", rounds)
			}
		}
	}
}

func (a *asking) End() {
	select {
	case <-a.stop:
	default:
		close(a.stop)
	}
	a.wait.Wait()
}

// cmdAsking begins to ask, and returns when every client has been answered.
func cmdAsking(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1)
	dir, err := os.MkdirTemp(ts.Getenv("WORK"), "asking")
	ts.Check(err)
	answers, err := answersOf(dir)
	ts.Check(err)
	for _, name := range args {
		if answers[name] == nil {
			ts.Fatalf("there is no table %q", name)
		}
	}
	a := &asking{base: "http://" + ts.Getenv("ADDR"), tables: args, answers: answers, stop: make(chan struct{})}
	values := ts.Value(askingKey).(*[]*asking)
	*values = append(*values, a)
	ts.Defer(a.End)
	for i := range a.clients {
		a.wait.Go(func() { a.run(&a.clients[i]) })
	}
	a.await(ts)
}

// cmdAsked waits until every client has been answered once more, and ends what
// cmdAsking began. All must have come to the last table.
func cmdAsked(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 0)
	values := *ts.Value(askingKey).(*[]*asking)
	if len(values) == 0 {
		ts.Fatalf("nobody asks")
	}
	a := values[len(values)-1]
	a.await(ts)
	a.End()
	for i := range a.clients {
		c := &a.clients[i]
		ts.Check(c.err)
		if a.tables[c.table] != a.tables[len(a.tables)-1] {
			ts.Fatalf("the last answer was that of the table %q, not %q", a.tables[c.table], a.tables[len(a.tables)-1])
		}
		ts.Logf("%d rounds", c.rounds)
	}
}

// askingKey is what the clients of a script are kept under.
type askingKeyType struct{}

var askingKey askingKeyType
