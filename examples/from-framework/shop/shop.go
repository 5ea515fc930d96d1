// Package shop is the service of the example: shelves, items and orders in memory.
package shop

import (
	"strconv"
	"sync"
)

// Shop has the objects of the service.
type Shop struct {
	Shelves Table[Shelf]
	Items   Table[Item]
	Orders  Table[Order]
}

// Shelf is a place for items.
type Shelf struct {
	Name     string
	Capacity int64
	Labels   map[string]string
}

// Item is sold by the shop.
type Item struct {
	Shelf    string
	Price    float64
	Tags     []string
	Supplier *Supplier
	// Token is chosen when the item is created.
	Token string
}

// Supplier delivers an item.
type Supplier struct {
	Name  string
	Phone *string
}

// Order is an order for an item.
type Order struct {
	Item     string
	Quantity int64
	Note     string
	Tags     []string
	Delivery *Delivery
}

// Delivery is the destination of an order.
type Delivery struct {
	Street  string
	Express bool
}

// Table has the objects of one kind by ID. It is safe for concurrent use.
type Table[T any] struct {
	mu   sync.Mutex
	rows map[string]T
	last int
}

// Insert adds an object and returns its ID.
func (t *Table[T]) Insert(row T) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last++
	id := strconv.Itoa(t.last)
	t.set(id, row)
	return id
}

// Get returns the object with the ID. It reports whether there is one.
func (t *Table[T]) Get(id string) (T, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	row, ok := t.rows[id]
	return row, ok
}

// Put adds or replaces the object with the ID.
func (t *Table[T]) Put(id string, row T) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.set(id, row)
}

// set is like Put, but its caller must hold the lock.
func (t *Table[T]) set(id string, row T) {
	if t.rows == nil {
		t.rows = map[string]T{}
	}
	t.rows[id] = row
}

// Delete removes the object with the ID.
func (t *Table[T]) Delete(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.rows, id)
}
