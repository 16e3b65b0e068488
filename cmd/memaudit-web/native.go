//go:build !js

package main

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"time"
)

// main serves the page's folder: browsers load WebAssembly from a web server only.
func main() {
	address := flag.String("listen", ":8080", "address to listen on")
	folder := flag.String("page", "web", "folder of the page")
	flag.Parse()
	if _, err := os.Stat(*folder + "/memaudit.wasm.gz"); err != nil {
		fmt.Fprintf(os.Stderr, "memaudit-web: --page %s: expected the folder that make web builds: %v\n", *folder, err)
		os.Exit(2)
	}
	server := http.Server{Addr: *address, Handler: http.FileServerFS(os.DirFS(*folder)), ReadTimeout: 10 * time.Second, WriteTimeout: 5 * time.Minute}
	fmt.Fprintf(os.Stderr, "memaudit-web: serving %s on %s\n", *folder, *address)
	fmt.Fprintln(os.Stderr, "memaudit-web:", server.ListenAndServe())
	os.Exit(1)
}
