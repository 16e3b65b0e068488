// Command memaudit-web is memaudit for browsers: it provides the page with the object memaudit, whose functions
// audit files. Nothing leaves the page.
package main
