package configs_test

import (
	"testing"

	"github.com/posixform/terraform-provider-posix/engine/configs"
)

// step is the configuration of a typical step of an acceptance test.
const step = `
terraform {
  required_providers {
    posix = { source = "posixform/posix" }
  }
}

variable "content" {
  type    = string
  default = "hello"
}

resource "posix_file" "test" {
  path    = "/tmp/x"
  content = var.content
  mode    = "0644"
}

output "sha256" {
  value = posix_file.test.sha256
}
`

func BenchmarkLoad(b *testing.B) {
	for name, source := range map[string]configs.Files{
		"step":   {"main.tf": []byte(step)},
		"module": {"main.tf": []byte(step + "module \"m\" {\nsource = \"./m\"\n}\n"), "m/main.tf": []byte(step)},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, diags := configs.Load(source, ".", configs.Options{}); diags.HasErrors() {
					b.Fatal(diags)
				}
			}
		})
	}
}
