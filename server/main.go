package main

import (
	"os"

	"solved/rules/inverseduocross"
	"solved/rules/inversetreblecross"
	"solved/rules/nim"
	"solved/rules/notakto"
	"solved/rules/pig"
	"solved/rules/tictacchec"
	"solved/rules/tictactoe"
	"solved/rules/treblecross"
	"solved/server/cli"
	"solved/server/game"
	inverseduocrossgame "solved/server/games/inverseduocross"
	inversetreblecrossgame "solved/server/games/inversetreblecross"
	nimgame "solved/server/games/nim"
	notaktogame "solved/server/games/notakto"
	piggame "solved/server/games/pig"
	tictacchecgame "solved/server/games/tictacchec"
	tictactoegame "solved/server/games/tictactoe"
	treblecrossgame "solved/server/games/treblecross"
)

func main() { os.Exit(cli.Main(allGames())) }

// allGames lists the games in the order in which they are shown everywhere.
func allGames() (list game.List) {
	for _, r := range tictacchec.Rulesets() {
		list = append(list, tictacchecgame.New(r))
	}
	for _, r := range tictactoe.Rulesets() {
		list = append(list, tictactoegame.New(r))
	}
	for _, r := range nim.Rulesets() {
		list = append(list, nimgame.New(r))
	}
	for _, r := range inversetreblecross.Rulesets() {
		list = append(list, inversetreblecrossgame.New(r))
	}
	for _, r := range inverseduocross.Rulesets() {
		list = append(list, inverseduocrossgame.New(r))
	}
	for _, r := range treblecross.Rulesets() {
		list = append(list, treblecrossgame.New(r))
	}
	for _, r := range notakto.Rulesets() {
		list = append(list, notaktogame.New(r))
	}
	for _, r := range pig.Rulesets() {
		list = append(list, piggame.New(r))
	}
	return list
}
