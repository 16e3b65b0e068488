// Package differential checks memaudit's readings against other programs': its
// decoder against u-root's, its topology against lscpu's and lstopo's. It is a
// module of its own, so that what it needs is never linked into memaudit.
package differential
