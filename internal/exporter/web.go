package exporter

// WebOptions is where and how the daemon listens.
type WebOptions struct {
	Addresses []string
	// SystemdSocket takes the sockets that systemd opened instead.
	SystemdSocket bool
	// ConfigFile is exporter-toolkit's: TLS, basic authentication.
	ConfigFile string
	// MetricsPath is where the metrics are.
	MetricsPath string
	// NoReport leaves the reports out: metrics alone are served.
	NoReport bool
}
