package zone

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// [ephemeral

// Key opens the zone for transfers, as long as a run lasts.
type Key struct {
	// Purpose is what the key may be used for.
	Purpose string
}

// KeyOutput is an open key.
type KeyOutput struct {
	// Token is the key itself.
	Token string `tf:",sensitive"`
}

// Grant is what a key is renewed and closed with.
type Grant struct {
	ID string
}

// Open makes a key.
func (k *Key) Open(_ context.Context, z *Zone) (*KeyOutput, runtime.Lease[Grant], error) {
	if z.locked {
		return nil, runtime.Lease[Grant]{}, errors.New("keys need the provider's password")
	}
	g := Grant{ID: rand.Text()}
	return &KeyOutput{Token: "key-" + rand.Text()}, g.lease(), z.put("keys", g.ID, k)
}

func (g Grant) lease() runtime.Lease[Grant] {
	return runtime.Lease[Grant]{Session: g, RenewAt: time.Now().Add(10 * time.Minute)}
}

// Renew keeps the key valid.
func (*Key) Renew(_ context.Context, z *Zone, g Grant) (runtime.Lease[Grant], error) {
	return g.lease(), z.get("keys", g.ID, &Key{})
}

// Close withdraws it.
func (*Key) Close(_ context.Context, z *Zone, g Grant) error {
	return z.remove("keys", g.ID)
}

// ephemeral]
