// Package bios decodes exports of a machine's BIOS settings: Redfish Bios
// resources and their registries, and the files of the vendors' command-line
// tools. It recognises the formats by content. It does not know what an
// attribute means: names and values stay as the vendor writes them.
package bios
