package main

import (
	"io/fs"
	"strings"
	"syscall/js"

	"memaudit.example/memaudit/examples"
	"memaudit.example/memaudit/internal/cli/web"
)

// version and revision are set by the linker.
var version, revision = "devel", ""

func main() {
	checker, err := web.New(version, revision)
	if err != nil {
		panic(err)
	}
	profiles := []any{}
	for _, p := range web.Profiles() {
		profiles = append(profiles, p)
	}
	js.Global().Set("memaudit", map[string]any{
		"version":  version,
		"profiles": profiles,
		// check(files, profile) audits [{name, data: Uint8Array}].
		"check": js.FuncOf(func(_ js.Value, args []js.Value) any {
			out, err := checker.Check(files(args[0]), args[1].String())
			return result(out, err)
		}),
		// whatIf(moves, columns) audits the last machine after moves [{from, to}] of slots' handles, in text of so many columns.
		"whatIf": js.FuncOf(func(_ js.Value, args []js.Value) any {
			var moves []web.Move
			for i := range args[0].Length() {
				moves = append(moves, web.Move{From: args[0].Index(i).Get("from").String(), To: args[0].Index(i).Get("to").String()})
			}
			out, err := checker.WhatIf(moves, args[1].Int())
			return result(out, err)
		}),
		// example(name) returns the file of an example server.
		"example": js.FuncOf(func(_ js.Value, args []js.Value) any {
			data, err := fs.ReadFile(examples.FS, args[0].String()+".tar.gz")
			if err != nil {
				return nil
			}
			bytes := js.Global().Get("Uint8Array").New(len(data))
			js.CopyBytesToJS(bytes, data)
			return bytes
		}),
	})
	js.Global().Get("document").Call("dispatchEvent", js.Global().Get("Event").New("memaudit"))
	select {}
}

// files copies a list of files from JavaScript.
func files(list js.Value) []web.File {
	var out []web.File
	for i := range list.Length() {
		data := list.Index(i).Get("data")
		f := web.File{Name: list.Index(i).Get("name").String(), Data: make([]byte, data.Length())}
		js.CopyBytesToGo(f.Data, data)
		out = append(out, f)
	}
	return out
}

// result returns an object with the output or the error.
func result(out web.Output, err error) any {
	if err != nil {
		return map[string]any{"error": strings.TrimSpace(err.Error())}
	}
	return map[string]any{"text": out.Text, "json": out.JSON, "after": out.After}
}
