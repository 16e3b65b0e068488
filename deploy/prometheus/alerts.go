// Package alerts holds the page about the alerts, part of which the daemon serves as its runbook.
package alerts

import _ "embed"

// Page is README.md of this folder: below the heading "Alerts" it has a part for each alert, what it means and what to do.
//
//go:embed README.md
var Page string
