package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"solved/api"
	"solved/server/flags"
	"solved/server/service"
)

// ownReadiness is the readiness address of a server on this machine.
const ownReadiness = "http://127.0.0.1:8080/readyz"

// healthCommand returns the command that asks a running server whether it is ready.
func healthCommand() *cobra.Command {
	var timeout time.Duration
	c := &cobra.Command{
		Use:   "health [URL]",
		Short: "Ask a running server whether it is ready",
		Long: `Ask a running server whether it is ready. Without URL the command asks
` + ownReadiness + `. The exit code is 0 if the server answers with
status 200, and else 1. It is a health check for a container without a shell.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return &flags.UsageError{Err: fmt.Errorf("usage: %s", c.UseLine()), Command: c.CommandPath()}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			where := ownReadiness
			if len(args) > 0 {
				where = args[0]
			}
			u, err := url.Parse(where)
			if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
				return &flags.UsageError{Err: fmt.Errorf("%q is not the address of a server, such as %s", where, ownReadiness), Command: c.CommandPath()}
			}
			ctx, cancel := context.WithTimeout(c.Context(), timeout)
			defer cancel()
			return health(ctx, where)
		},
	}
	c.Flags().Var(flags.NewValue(&timeout, 2*time.Second, "duration", flags.ParseDuration(service.LeastTimeout)), "timeout", "how long to wait for the answer")
	return c
}

// health returns an error unless the server says that it is ready. The error
// repeats the server's answer.
func health(ctx context.Context, where string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, where, nil)
	if err != nil {
		return err
	}
	// Without a proxy: another server must not answer.
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	if err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	if response.StatusCode == http.StatusOK {
		return nil
	}
	all := []error{fmt.Errorf("%s: %s", where, response.Status)}
	var problem api.Problem
	if json.Unmarshal(body, &problem) == nil && problem.Detail != "" {
		all[0] = fmt.Errorf("%s: %s: %s", where, response.Status, problem.Detail)
		for _, t := range problem.Tables {
			if t.Reason != nil {
				all = append(all, fmt.Errorf("%s is %s: %s", t.Rules.Name, t.State, *t.Reason))
			}
		}
	}
	return errors.Join(all...)
}
