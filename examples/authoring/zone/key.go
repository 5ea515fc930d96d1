package zone

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// [ephemeral

// Key allows transfers of the zone during a run.
type Key struct {
	// Purpose is the purpose of the key.
	Purpose string
}

// KeyOutput is the key.
type KeyOutput struct {
	// Token is the secret of the key.
	Token string `tf:",sensitive"`
}

// Grant is the session data with which a key is renewed and revoked.
type Grant struct {
	ID string
}

// Open creates a key.
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

// Renew extends the validity of the key.
func (*Key) Renew(_ context.Context, z *Zone, g Grant) (runtime.Lease[Grant], error) {
	return g.lease(), z.get("keys", g.ID, &Key{})
}

// Close revokes the key.
func (*Key) Close(_ context.Context, z *Zone, g Grant) error {
	return z.remove("keys", g.ID)
}

// ephemeral]
