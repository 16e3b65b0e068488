// Package deps holds the module requirements until their users exist.
package deps

import (
	_ "cel.dev/cel-go/cel"
	_ "cel.dev/cel-go/ext"
	_ "charm.land/lipgloss/v2"
	_ "charm.land/lipgloss/v2/table"
	_ "github.com/invopop/jsonschema"
	_ "github.com/jaypipes/ghw"
	_ "github.com/santhosh-tekuri/jsonschema/v6"
	_ "github.com/spf13/cobra"
	_ "github.com/spf13/cobra/doc"
	_ "github.com/stretchr/testify/assert"
	_ "github.com/stretchr/testify/require"
	_ "go.yaml.in/yaml/v3"
	_ "golang.org/x/sys/unix"
)
