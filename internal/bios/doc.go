// Package bios decodes exports of a machine's BIOS settings: Redfish Bios
// resources and their registries, and the files of the vendors' command-line
// tools. It tells the formats apart by content and knows nothing of what an
// attribute means; names and values come out as the vendor writes them.
package bios
