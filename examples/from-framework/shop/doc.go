// Package shop is the service of the example: shelves and items in memory.
package shop
