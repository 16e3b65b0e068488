// Package layout holds the test that keeps data flowing one way: which package
// may import which.
package layout
