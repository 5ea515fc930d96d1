data "posix_host" "this" {}

# A package repository for the distribution of the host.
resource "posix_file" "source" {
  path    = "/etc/apt/sources.list.d/app.list"
  content = "deb https://packages.example.com/${data.posix_host.this.os_release["ID"]} ${lookup(data.posix_host.this.os_release, "VERSION_CODENAME", "stable")} main\n"
}

output "addresses" {
  value = [
    for a in data.posix_host.this.addresses : a.address
    if a.family == "ipv4" && a.scope == "global"
  ]
}

output "memory" {
  value = "${floor(data.posix_host.this.memory_total / 1024 / 1024)} MiB for ${data.posix_host.this.processors} processors"
}

output "read_only" {
  value = [for m in data.posix_host.this.mounts : m.path if contains(m.options, "ro")]
}
