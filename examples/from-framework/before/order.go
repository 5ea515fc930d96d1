package before

import (
	"context"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"example.com/from-framework/shop"
)

// NewOrder returns the resource type shop_order.
func NewOrder() *schema.Resource {
	return &schema.Resource{
		CreateContext: createOrder,
		ReadContext:   readOrder,
		UpdateContext: updateOrder,
		DeleteContext: deleteOrder,
		Importer:      &schema.ResourceImporter{StateContext: schema.ImportStatePassthroughContext},
		Schema: map[string]*schema.Schema{
			"item":     {Type: schema.TypeString, Required: true, ForceNew: true},
			"quantity": {Type: schema.TypeInt, Optional: true, Default: 1},
			"note":     {Type: schema.TypeString, Optional: true},
			"tags":     {Type: schema.TypeList, Optional: true, Elem: &schema.Schema{Type: schema.TypeString}},
			"delivery": {Type: schema.TypeList, Optional: true, MaxItems: 1, Elem: &schema.Resource{Schema: map[string]*schema.Schema{
				"street":  {Type: schema.TypeString, Required: true},
				"express": {Type: schema.TypeBool, Optional: true},
			}}},
			"number": {Type: schema.TypeString, Computed: true},
		},
	}
}

func order(d *schema.ResourceData) shop.Order {
	o := shop.Order{Item: d.Get("item").(string), Quantity: int64(d.Get("quantity").(int)), Note: d.Get("note").(string)}
	for _, tag := range d.Get("tags").([]any) {
		o.Tags = append(o.Tags, tag.(string))
	}
	if street, ok := d.GetOk("delivery.0.street"); ok {
		o.Delivery = &shop.Delivery{Street: street.(string), Express: d.Get("delivery.0.express").(bool)}
	}
	return o
}

func createOrder(ctx context.Context, d *schema.ResourceData, client any) diag.Diagnostics {
	d.SetId(client.(*shop.Shop).Orders.Insert(order(d)))
	return readOrder(ctx, d, client)
}

func readOrder(_ context.Context, d *schema.ResourceData, client any) diag.Diagnostics {
	o, ok := client.(*shop.Shop).Orders.Get(d.Id())
	if !ok {
		d.SetId("")
		return nil
	}
	var delivery []any
	if o.Delivery != nil {
		delivery = []any{map[string]any{"street": o.Delivery.Street, "express": o.Delivery.Express}}
	}
	for name, value := range map[string]any{
		"item": o.Item, "quantity": o.Quantity, "note": o.Note, "tags": o.Tags, "delivery": delivery, "number": "N" + d.Id(),
	} {
		if err := d.Set(name, value); err != nil {
			return diag.FromErr(err)
		}
	}
	return nil
}

func updateOrder(ctx context.Context, d *schema.ResourceData, client any) diag.Diagnostics {
	client.(*shop.Shop).Orders.Put(d.Id(), order(d))
	return readOrder(ctx, d, client)
}

func deleteOrder(_ context.Context, d *schema.ResourceData, client any) diag.Diagnostics {
	client.(*shop.Shop).Orders.Delete(d.Id())
	return nil
}
