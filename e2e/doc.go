// Package e2e runs the built program as a user does. Its tests need the build
// tag e2e; `make e2e` sets it.
package e2e
