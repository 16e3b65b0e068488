package exporter

// WebOptions says where and how the daemon listens.
type WebOptions struct {
	// Addresses are the TCP addresses to listen on, for example ":9822".
	Addresses []string
	// SystemdSocket uses the sockets that systemd opened, and not Addresses.
	SystemdSocket bool
	// ConfigFile is a web configuration file of exporter-toolkit: TLS, basic authentication.
	ConfigFile string
	// MetricsPath is the path at which metrics are served.
	MetricsPath string
	// NoReport serves metrics but no reports.
	NoReport bool
}
