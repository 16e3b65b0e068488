// Package redfish reads one machine's BIOS settings and memory inventory from
// its management controller (DMTF DSP0266, DSP2046). It asks with GET alone,
// beside the POST and the DELETE of its own session, follows the links that the
// service gives, and bounds every answer, every wait and the whole of it.
package redfish
