package after

import (
	"context"

	"github.com/posixform/terraform-provider-posix/runtime"

	"example.com/from-framework/shop"
)

// [order

// Order is the configuration of an order. Delivery was a block in SDKv2, and remains one.
type Order struct {
	Item     string `tf:",replace"`
	Quantity int64
	Note     *string
	Tags     []string   `tf:",optional"`
	Delivery []Delivery `tf:",block"`
}

// OrderOutput is an existing order, with the attributes that the state has.
type OrderOutput struct {
	ID       string `tf:",keep"`
	Item     string
	Quantity int64
	Note     *string
	Tags     []string
	Delivery []Delivery `tf:",block"`
	Number   string     `tf:",keep"`
}

// Delivery is the destination of an order.
type Delivery struct {
	Street  string
	Express *bool
}

// order]

// Defaults makes quantity optional.
func (o *Order) Defaults() { o.Quantity = 1 }

// Defaults makes express false, as SDKv2 stored it.
func (d *Delivery) Defaults() { d.Express = new(bool) }

// Constraints permits at most one delivery block, like MaxItems of SDKv2.
func (*Order) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.Length("delivery", 0, 1)}
}

func (o *Order) object() shop.Order {
	object := shop.Order{Item: o.Item, Quantity: o.Quantity, Tags: o.Tags}
	if o.Note != nil {
		object.Note = *o.Note
	}
	for _, d := range o.Delivery {
		object.Delivery = &shop.Delivery{Street: d.Street, Express: d.Express != nil && *d.Express}
	}
	return object
}

// Create creates the order.
func (o *Order) Create(ctx context.Context, s *shop.Shop) (*OrderOutput, error) {
	return o.Read(ctx, s, &OrderOutput{ID: s.Orders.Insert(o.object())})
}

// Read returns the order.
func (*Order) Read(_ context.Context, s *shop.Shop, prior *OrderOutput) (*OrderOutput, error) {
	object, ok := s.Orders.Get(prior.ID)
	if !ok {
		return nil, runtime.ErrNotFound
	}
	o := &OrderOutput{ID: prior.ID, Item: object.Item, Quantity: object.Quantity, Tags: object.Tags, Number: "N" + prior.ID}
	if object.Note != "" { // an unset note is stored as an empty string
		o.Note = &object.Note
	}
	if d := object.Delivery; d != nil {
		o.Delivery = []Delivery{{Street: d.Street, Express: &d.Express}}
	}
	return o, nil
}

// Update changes the order.
func (o *Order) Update(ctx context.Context, s *shop.Shop, prior runtime.Prior[Order, *OrderOutput]) (*OrderOutput, error) {
	s.Orders.Put(prior.Outputs.ID, o.object())
	return o.Read(ctx, s, prior.Outputs)
}

// Delete deletes the order.
func (*Order) Delete(_ context.Context, s *shop.Shop, prior *OrderOutput) error {
	s.Orders.Delete(prior.ID)
	return nil
}

// ImportByID imports an order by its ID.
func (*Order) ImportByID(_ context.Context, _ *shop.Shop, id string) (*OrderOutput, error) {
	return &OrderOutput{ID: id}, nil
}
