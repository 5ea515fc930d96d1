data "posix_file" "hostname" {
  path = "/etc/hostname"
}

# A file that does not have to exist.
data "posix_file" "override" {
  path       = "/etc/app/override.json"
  must_exist = false
}

# The digest of a large file, without its content.
data "posix_file" "image" {
  path        = "/srv/images/base.img"
  digest_only = true
}

output "hostname" {
  value = trimspace(data.posix_file.hostname.content)
}

output "settings" {
  value = jsondecode(data.posix_file.override.exists ? data.posix_file.override.content : "{}")
}

output "image" {
  value = data.posix_file.image.sha256
}
