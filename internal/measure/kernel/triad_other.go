//go:build !amd64

package kernel

// Store is the kind of store that Triad uses here.
const Store = Normal

// Triad computes STREAM's a = b + s*c.
func Triad(a, b, c []float64, s float64) { TriadNormal(a, b, c, s) }
