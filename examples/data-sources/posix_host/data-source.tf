data "posix_host" "this" {}

# A package repository for the distribution and the release of the host.
resource "posix_package_repository" "app" {
  name       = "app"
  uris       = ["https://deb.example.com/${data.posix_host.this.os_release["ID"]}"]
  suites     = [data.posix_host.this.os_release["VERSION_CODENAME"]]
  components = ["main"]
  key        = file("${path.module}/example.asc")
}

output "addresses" {
  value = [
    for a in coalesce(data.posix_host.this.addresses, []) : a.address # null without ip and ifconfig
    if a.family == "ipv4" && a.scope == "global"
  ]
}

output "memory" {
  value = "${floor(data.posix_host.this.memory_total / 1024 / 1024)} MiB for ${data.posix_host.this.processors} processors"
}

output "read_only" {
  value = [for m in data.posix_host.this.mounts : m.path if contains(m.options, "ro")]
}
