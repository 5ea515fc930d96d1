package client_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6/client"
)

// ExampleDial starts the program of a provider and checks its responses with
// the guard. The program in this example is the test binary itself, which
// serves a provider whose plans differ from the configuration.
func ExampleDial() {
	self, err := os.Executable()
	if err != nil {
		log.Fatal(err)
	}
	remote, err := client.Dial(context.Background(), client.DialConfig{
		Path: self,
		Env:  append(os.Environ(), role+"=invalid plan"),
	})
	if err != nil {
		log.Fatal(err)
	}
	defer func() {
		if err := remote.Close(); err != nil {
			log.Print(err)
		}
	}()
	fmt.Println("protocol", remote.ProtocolVersion())

	config := cty.ObjectVal(map[string]cty.Value{"host": cty.StringVal("wanted")})
	plan := guard.Wrap(remote).PlanResourceChange(context.Background(), provider.PlanResourceChangeRequest{
		TypeName:         "test_plain",
		PriorState:       cty.NullVal(config.Type()),
		ProposedNewState: config,
		Config:           config,
	})
	fmt.Println(plan.Diagnostics[0].Summary)
	// Output:
	// protocol 6
	// Provider bug: test_plain.host is planned with a value that differs from the configuration (PLAN-005)
}
