// Command sbom prints the bill of materials of a built program: its own sum, the
// Go standard library and every module that the linker put in, as the program
// itself carries them. The same program gives the same bytes.
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "sbom: expected: sbom PROGRAM VERSION")
		os.Exit(2)
	}
	if err := writeBill(os.Stdout, os.Args[1], os.Args[2], os.Getenv("SOURCE_DATE_EPOCH")); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// billOfMaterials is a CycloneDX document (ECMA-424, specification 1.5). Its graph of
// dependencies is left out: a program does not carry it.
type billOfMaterials struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Timestamp string    `json:"timestamp,omitempty"`
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl"`
	Hashes     []fileHash `json:"hashes,omitempty"`
	Licenses   []license  `json:"licenses,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type fileHash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type license struct {
	License struct {
		ID string `json:"id"`
	} `json:"license"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// writeBill writes the bill of one program; epoch, seconds since 1970 or "", is its
// time stamp.
func writeBill(out io.Writer, program, version, epoch string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	b, err := billOf(info, sha256.Sum256(data), version, epoch)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s\n", text)
	return err
}

func billOf(info *debug.BuildInfo, sum [sha256.Size]byte, version, epoch string) (*billOfMaterials, error) {
	own := library(info.Main.Path, version)
	own.Type, own.Name = "application", "memaudit"
	own.Hashes = []fileHash{{"SHA-256", hex.EncodeToString(sum[:])}}
	apache := license{}
	apache.License.ID = "Apache-2.0"
	own.Licenses = []license{apache}
	for _, s := range info.Settings {
		if s.Key == "GOOS" || s.Key == "GOARCH" || s.Key == "CGO_ENABLED" {
			own.Properties = append(own.Properties, property{"go:" + s.Key, s.Value})
		}
	}
	b := &billOfMaterials{Format: "CycloneDX", Spec: "1.5", Version: 1, Metadata: metadata{Component: own}}
	if epoch != "" {
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
		}
		b.Metadata.Timestamp = time.Unix(seconds, 0).UTC().Format(time.RFC3339)
	}
	b.Components = append(b.Components, library("std", strings.TrimPrefix(strings.Fields(info.GoVersion)[0], "go")))
	for _, m := range info.Deps {
		c := library(m.Path, m.Version)
		if m.Sum != "" {
			// The sum of go.sum: over the list of the module's files, not over one file.
			c.Properties = []property{{"go:sum", m.Sum}}
		}
		b.Components = append(b.Components, c)
	}
	return b, nil
}

// library names a module as package URLs do (purl-spec, type golang).
func library(path, version string) component {
	purl := "pkg:golang/" + strings.ToLower(path) + "@" + strings.ReplaceAll(version, "+", "%2B")
	return component{Type: "library", Ref: purl, Name: path, Version: version, PURL: purl}
}
