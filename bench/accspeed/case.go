package accspeed

import (
	"context"
	"fmt"
	"path/filepath"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/bench/sidebyside"
	"github.com/posixform/terraform-provider-posix/examples/note"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Case is an acceptance test of three steps.
type Case struct {
	// Title is the name on the page.
	Title string
	// New is the test, whose objects are below dir.
	New func(dir string) resource.TestCase
}

// Cases are the tests: of the smallest resource, and of one with a dozen
// attributes that is written three times.
func Cases() []Case {
	cases := []Case{{Title: "note", New: newNote}}
	for _, c := range sidebyside.Contenders() {
		cases = append(cases, Case{Title: "site, " + c.Title, New: func(dir string) resource.TestCase { return newSite(c, dir) }})
	}
	return cases
}

func newNote(dir string) resource.TestCase {
	const address = "demo_note.this"
	path := filepath.Join(dir, "note")
	config := func(text string) string {
		return fmt.Sprintf("resource \"demo_note\" \"this\" {\n  path = %q\n  text = %q\n}\n", path, text)
	}
	return resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("demo", func() (provider.Interface, error) {
			return runtime.New(runtime.Definition{
				Name: "demo",
				Resources: map[string]runtime.ResourceRegistration{
					"note": runtime.MakeResource[note.Note, *note.NoteOutput, runtime.NoConfig](),
				},
			})
		}),
		Steps: []resource.TestStep{
			{Config: config("one\n"), Check: resource.TestCheckResourceAttr(address, "lines", "1")},
			{Config: config("one\ntwo\n"), Check: resource.TestCheckResourceAttr(address, "lines", "2")},
			{ResourceName: address, ImportState: true, ImportStateId: path, ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "path"},
		},
	}
}

func newSite(c sidebyside.Contender, dir string) resource.TestCase {
	const address = "web_site.this"
	routes := "routes = [{ path = \"/\", backend = \"web:80\", weight = 1 }]"
	if c.Title == "SDKv2" { // SDKv2 has nested objects as blocks
		routes = "routes {\n    path    = \"/\"\n    backend = \"web:80\"\n    weight  = 1\n  }"
	}
	config := func(port string) string {
		return fmt.Sprintf("provider \"web\" {\n  directory = %q\n}\n\nresource \"web_site\" \"this\" {\n"+
			"  name     = \"shop\"\n  root     = \"/srv\"\n  port     = %s\n  settings = jsonencode({ a = 1 })\n  %s\n}\n", dir, port, routes)
	}
	return resource.TestCase{
		ProtoV6ProviderFactories: map[string]func() (tfplugin.ProviderServer, error){
			"web": func() (tfplugin.ProviderServer, error) { return c.New(context.Background()) },
		},
		Steps: []resource.TestStep{
			{
				Config: config("8443"),
				Check: resource.ComposeTestCheckFunc(
					resource.TestCheckResourceAttr(address, "url", "https://shop:8443"),
					resource.TestCheckResourceAttr(address, "routes.0.backend", "web:80"),
				),
			},
			{Config: config("443"), Check: resource.TestCheckResourceAttr(address, "revision", "2")},
			{ResourceName: address, ImportState: true, ImportStateId: "shop", ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "name"},
		},
	}
}
