package after

import (
	"context"

	"github.com/posixform/terraform-provider-posix/runtime"

	"example.com/from-framework/shop"
)

// [item

// Item is the configuration of an item.
type Item struct {
	Shelf    string
	Price    float64
	Tags     []string `tf:",optional,set"`
	Supplier *Supplier
}

// ItemOutput is an existing item, with the attributes that the state has.
type ItemOutput struct {
	ID       string `tf:",keep"`
	Shelf    string
	Price    float64
	Tags     []string `tf:",set"`
	Supplier *Supplier
	Token    string `tf:",sensitive,keep"`
}

// Supplier delivers an item.
type Supplier struct {
	Name  string
	Phone *string
}

// item]

func output(id string, object shop.Item) *ItemOutput {
	return &ItemOutput{
		ID: id, Shelf: object.Shelf, Price: object.Price, Tags: object.Tags, Supplier: (*Supplier)(object.Supplier), Token: object.Token,
	}
}

// Create creates the item.
func (i *Item) Create(_ context.Context, s *shop.Shop) (*ItemOutput, error) {
	object := shop.Item{
		Shelf: i.Shelf, Price: i.Price, Tags: i.Tags, Supplier: (*shop.Supplier)(i.Supplier), Token: "token of " + i.Shelf,
	}
	return output(s.Items.Insert(object), object), nil
}

// Read returns the item.
func (*Item) Read(_ context.Context, s *shop.Shop, prior *ItemOutput) (*ItemOutput, error) {
	object, ok := s.Items.Get(prior.ID)
	if !ok {
		return nil, runtime.ErrNotFound
	}
	return output(prior.ID, object), nil
}

// Update changes the item.
func (i *Item) Update(_ context.Context, s *shop.Shop, prior runtime.Prior[Item, *ItemOutput]) (*ItemOutput, error) {
	object := shop.Item{Shelf: i.Shelf, Price: i.Price, Tags: i.Tags, Supplier: (*shop.Supplier)(i.Supplier), Token: prior.Outputs.Token}
	s.Items.Put(prior.Outputs.ID, object)
	return output(prior.Outputs.ID, object), nil
}

// Delete deletes the item.
func (*Item) Delete(_ context.Context, s *shop.Shop, prior *ItemOutput) error {
	s.Items.Delete(prior.ID)
	return nil
}

// ImportByID imports an item by its ID.
func (*Item) ImportByID(_ context.Context, _ *shop.Shop, id string) (*ItemOutput, error) {
	return &ItemOutput{ID: id}, nil
}
