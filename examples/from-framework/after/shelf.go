package after

import (
	"context"

	"github.com/posixform/terraform-provider-posix/runtime"

	"example.com/from-framework/shop"
)

// Shelf is the configuration of a shelf.
type Shelf struct {
	Name     string `tf:",replace"`
	Capacity int64
	Labels   map[string]string `tf:",optional"`
}

// ShelfOutput is an existing shelf.
type ShelfOutput struct {
	ID       string `tf:",keep"`
	Name     string
	Capacity int64
	Labels   map[string]string
}

// Defaults makes capacity optional.
func (s *Shelf) Defaults() { s.Capacity = 10 }

func (s *Shelf) output(id string) *ShelfOutput {
	return &ShelfOutput{ID: id, Name: s.Name, Capacity: s.Capacity, Labels: s.Labels}
}

// Create creates the shelf.
func (s *Shelf) Create(_ context.Context, client *shop.Shop) (*ShelfOutput, error) {
	return s.output(client.Shelves.Insert(shop.Shelf(*s))), nil
}

// Read returns the shelf.
func (*Shelf) Read(_ context.Context, client *shop.Shop, prior *ShelfOutput) (*ShelfOutput, error) {
	object, ok := client.Shelves.Get(prior.ID)
	if !ok {
		return nil, runtime.ErrNotFound
	}
	return (*Shelf)(&object).output(prior.ID), nil
}

// Update changes the shelf.
func (s *Shelf) Update(_ context.Context, client *shop.Shop, prior runtime.Prior[Shelf, *ShelfOutput]) (*ShelfOutput, error) {
	client.Shelves.Put(prior.Outputs.ID, shop.Shelf(*s))
	return s.output(prior.Outputs.ID), nil
}

// Delete deletes the shelf.
func (*Shelf) Delete(_ context.Context, client *shop.Shop, prior *ShelfOutput) error {
	client.Shelves.Delete(prior.ID)
	return nil
}

// ImportByID imports a shelf by its ID.
func (*Shelf) ImportByID(_ context.Context, _ *shop.Shop, id string) (*ShelfOutput, error) {
	return &ShelfOutput{ID: id}, nil
}
