# The other lines of the file, such as the host's own name, are kept.
resource "posix_file_block" "hosts" {
  path = "/etc/hosts"
  name = "our-hosts"
  content = provider::posix::hosts_file({
    # Names by address, the canonical name first.
    "192.0.2.10" = ["db1.example.com", "db1"]

    # Addresses by name.
    "web1.example.com" = ["192.0.2.11", "2001:db8::11"]
    "web2.example.com" = "192.0.2.12"
  })
}
