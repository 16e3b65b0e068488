// Package differential checks memaudit's readings against other programs': its
// decoder against u-root's, its topology against lscpu's and lstopo's, its SARIF
// against the published schema and another reader. It is a module of its own,
// so that what it needs is never linked into memaudit.
package differential
