package identity_test

import (
	"fmt"

	"github.com/posixform/terraform-provider-posix/identity"
)

func ExampleCheckImport() {
	fmt.Println(identity.CheckImport(hostPath, "", file(local, nullString)))
	fmt.Println(identity.CheckImport(hostPath, "/etc/motd", file(local, motd)))
	// Output:
	// path: the identity lacks a value that is required for import
	// both an import id and an identity are given; only one of them can name the object
}

func ExampleKey() {
	fmt.Println(identity.Key(file(nullString, motd)))
	// Output: {"host":null,"path":"/etc/motd",}
}
