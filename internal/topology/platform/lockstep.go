package platform

import (
	"errors"
	"fmt"
	"strings"

	yaml "go.yaml.in/yaml/v3"
)

// channelPairs are pairs of channels that answer as one.
type channelPairs [][]int

// UnmarshalYAML refuses what is not a list of pairs: whoever reads the platform takes
// both channels of each without looking.
func (c *channelPairs) UnmarshalYAML(list *yaml.Node) error {
	var pairs [][]int
	if err := list.Decode(&pairs); err != nil {
		return err
	}
	for i, pair := range pairs {
		if len(pair) != 2 {
			return fmt.Errorf("line %d: lockstep_channels[%d]: %d channels, expected 2", list.Content[i].Line, i, len(pair))
		}
	}
	*c = pairs
	return nil
}

// unreadable says which file cannot be read, with the line where the decoder names one.
func unreadable(file string, err error) error {
	text := err.Error()
	var wrong *yaml.TypeError
	if errors.As(err, &wrong) {
		text = strings.Join(wrong.Errors, "; ")
	}
	text = strings.TrimPrefix(text, "yaml: ")
	if rest, found := strings.CutPrefix(text, "line "); found {
		return fmt.Errorf("read platform: %s:%s", file, rest)
	}
	return fmt.Errorf("read platform: %s: %s", file, text)
}
