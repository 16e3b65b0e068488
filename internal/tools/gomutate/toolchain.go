package main

import (
	"context"
	"fmt"
	"os/exec"
	"time"
)

// patience bounds the tests of one change: a loop that does not end is noticed.
const patience = 3 * time.Minute

// goTool runs the toolchain.
func goTool(args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput()
	if ctx.Err() != nil {
		return out, &exec.ExitError{}
	}
	return out, err
}

// unlessExit passes on what is not the tool's own verdict.
func unlessExit(err error, out []byte) error {
	if _, exited := err.(*exec.ExitError); exited { //nolint:errorlint // exec.Command gives it unwrapped
		return nil
	}
	return fmt.Errorf("%w: %s", err, out)
}
