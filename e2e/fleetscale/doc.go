// Package fleetscale measures rules and dashboards over fleets that are
// simulated. Its test needs the build tag fleetscale; `make fleet-scale` sets it.
package fleetscale
