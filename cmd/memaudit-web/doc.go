// Command memaudit-web is memaudit for browsers: it gives the page that loads it the object
// memaudit, whose functions audit files. Nothing leaves the page.
package main
