resource "posix_file" "hosts" {
  path          = "/etc/hosts"
  write_options = { overwrite = true }
  content = provider::posix::hosts_file({
    # Names by address, the canonical name first.
    "127.0.0.1" = "localhost"
    "::1"       = ["localhost", "ip6-localhost", "ip6-loopback"]

    # Addresses by name.
    "web1.example.com" = ["192.0.2.11", "2001:db8::11"]
    "web2.example.com" = "192.0.2.12"
  })
}
