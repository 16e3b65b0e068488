//go:build !js

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "memaudit-web runs in a browser; make web builds it")
	os.Exit(2)
}
