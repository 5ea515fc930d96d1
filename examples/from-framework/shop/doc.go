// Package shop is the service of the example: shelves, items and orders in memory.
package shop
