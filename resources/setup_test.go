package resources_test

import (
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources"
)

func newProvider() (provider.Interface, error) { return resources.New("test") }
