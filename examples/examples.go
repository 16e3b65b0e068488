// Package examples embeds captures of example servers, which `memaudit demo` audits.
package examples

import "embed"

// FS holds a capture NAME.tar.gz for each example server.
//
//go:embed *.tar.gz
var FS embed.FS
