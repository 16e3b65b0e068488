package fleet

import (
	"regexp"
	"slices"
	"strings"
)

// names is what a PromQL expression names.
type names struct {
	// Metrics maps each metric to the labels in its matchers; the key "" is a selector without a metric.
	Metrics map[string][]string
	// Labels are those named by by, without, on, ignoring and group_left.
	Labels []string
}

// promqlToken matches one lexical element of PromQL; the groups match identifiers.
var promqlToken = regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|`[^`]*`" + // strings
	`|\[[^\]]*\]` + // ranges
	`|[0-9][0-9a-zA-Z.]*` + // numbers and durations
	`|\$\{?[a-zA-Z_]+\}?` + // Grafana's variables
	`|([a-zA-Z_:][a-zA-Z0-9_:]*)` + `|[^\s]`)

// Keywords of PromQL that are not metrics. Functions are recognised by their parenthesis.
var (
	grouping  = []string{"by", "without", "on", "ignoring", "group_left", "group_right"}
	operators = []string{"and", "or", "unless", "bool", "offset", "inf", "nan"}
	// aggregators may be followed by their grouping.
	aggregators = []string{"sum", "min", "max", "avg", "group", "count", "topk", "bottomk", "count_values", "quantile", "stddev", "stdvar"}
)

// parseNames lists the names of an expression. It does not check the grammar:
// promtool does that.
func parseNames(expr string) names {
	n := names{Metrics: map[string][]string{}}
	words := promqlToken.FindAllStringSubmatch(expr, -1)
	text := func(i int) string {
		if i < len(words) {
			return words[i][0]
		}
		return ""
	}
	metric, braces, inList := "", false, false
	for i, w := range words {
		name, next := w[1], text(i+1)
		switch {
		case w[0] == "{":
			braces = true
			n.Metrics[metric] = append(n.Metrics[metric], []string{}...)
		case w[0] == "}":
			braces, metric = false, ""
		case w[0] == "(" && i > 0:
			inList = slices.Contains(grouping, text(i-1))
		case w[0] == ")":
			inList = false
		case name == "":
		case braces:
			n.Metrics[metric] = append(n.Metrics[metric], name)
		case inList:
			n.Labels = append(n.Labels, name)
		case isMetric(name, next):
			n.Metrics[name] = append(n.Metrics[name], []string{}...)
			metric = ""
			if next == "{" {
				metric = name
			}
		}
	}
	return n
}

// isMetric reports whether a name is a metric and not a keyword or function, by the name and the next token.
func isMetric(name, next string) bool {
	lower := strings.ToLower(name)
	return next != "(" && !slices.Contains(grouping, lower) && !slices.Contains(operators, lower) && !slices.Contains(aggregators, lower)
}
