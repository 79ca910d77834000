package client

import (
	"fmt"
	"strings"

	"solved/api"
	"solved/rules"
)

// Error is a call that has failed.
type Error struct {
	// Method and Path are those of the request, below the service's address.
	Method, Path string
	// Status is that of the last answer, 0 for none.
	Status int
	// RequestID names the request in the service's log, empty when no answer told it.
	RequestID string
	// Tries is how often the question was asked.
	Tries int
	// Err is what went wrong.
	Err error
}

// Error says what was asked and what went wrong.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: ", e.Method, e.Path)
	if problem, ok := e.Err.(*api.Problem); ok {
		fmt.Fprintf(&b, "%s: ", problem.Kind())
	}
	b.WriteString(e.Err.Error())
	if e.Tries > 1 {
		fmt.Fprintf(&b, " (asked %d times)", e.Tries)
	}
	if e.RequestID != "" {
		fmt.Fprintf(&b, " (request id %s)", e.RequestID)
	}
	return b.String()
}

// Unwrap returns what went wrong.
func (e *Error) Unwrap() error { return e.Err }

// MismatchError says that an answer holds for other rules than it was asked for, or
// does not say for which.
type MismatchError struct {
	Asked rules.Tag
	Got   string // the tag as received
}

// Error names both tags.
func (e *MismatchError) Error() string {
	if e.Got == "" {
		return fmt.Sprintf("the answer does not say which rules it holds for; asked was for %s", e.Asked)
	}
	return fmt.Sprintf("the answer holds for the rules %q; asked was for %s", e.Got, e.Asked)
}

// AnswerError says that what came back is no answer of the contract: it is from
// something else than the service, cut short, or too long.
type AnswerError struct {
	Detail string
	Err    error // nil when Detail says it all
}

// Error says what is wrong with the answer.
func (e *AnswerError) Error() string {
	if e.Err != nil {
		return e.Detail + ": " + e.Err.Error()
	}
	return e.Detail
}

// Unwrap returns the error behind it.
func (e *AnswerError) Unwrap() error { return e.Err }

func answerError(err error, format string, args ...any) *AnswerError {
	return &AnswerError{fmt.Sprintf(format, args...), err}
}
