# Whom to believe. The key of each host has to be known before: from the
# known_hosts files that ssh has, from here, or from what the machine was made by.
provider "posix" {
  known_hosts = [
    "web1.example.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f",
    "@cert-authority *.example.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f",
  ]

  hosts = {
    web1 = { address = "web1.example.com" }

    # This key or no other.
    web2 = { address = "192.0.2.12", host_key = ["SHA256:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"] }

    # The key that the host shows first is written to the file, and is the only one from then on.
    lab = { address = "192.0.2.99", host_key_policy = "accept_new", known_hosts_files = ["./known_hosts"] }
  }
}

resource "posix_file" "trusted" {
  for_each = toset(["web1", "web2", "lab"])

  host    = each.key
  path    = "/srv/trusted"
  content = "yes\n"
}
