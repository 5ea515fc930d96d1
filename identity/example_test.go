package identity_test

import (
	"fmt"

	"github.com/posixform/terraform-provider-posix/identity"
)

func ExampleCheckImport() {
	fmt.Println(identity.CheckImport(hostPath, "", file(local, nullString)))
	fmt.Println(identity.CheckImport(hostPath, "/etc/motd", file(local, motd)))
	// Output: path: the identity has no value for an attribute that is required for import
	// both an import ID and an identity are set; set only one of them
}

func ExampleKey() {
	fmt.Println(identity.Key(file(nullString, motd)))
	// Output: {"host":null,"path":"/etc/motd",}
}
