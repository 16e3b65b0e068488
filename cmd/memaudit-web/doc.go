// Command memaudit-web is memaudit for browsers: compiled to WebAssembly it provides the page with the object memaudit,
// whose functions audit files, and nothing leaves the page. Compiled for a machine it serves the page's folder.
package main
