// Package rules is the vocabulary that the other packages share: the tag of a
// ruleset, players, values and distances, the two sections of a table, and the
// four ways in which a question can be wrong. It knows no game, no file and no
// protocol.
//
// Everything in it is a value without hidden state, and safe for concurrent use.
// Nothing in it trusts its input: ParseTag refuses a text that is no tag.
package rules
