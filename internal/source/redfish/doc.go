// Package redfish reads one machine's BIOS settings and memory inventory from
// its management controller (DMTF DSP0266, DSP2046). It sends only GET
// requests, except for the POST and DELETE of its own session. It follows the links that
// the service gives, and it limits the size of each answer and of all together, the
// number of requests, and the time of each request and of the whole reading.
package redfish
