# The key of each host must be known: from the known_hosts files of ssh, from the
# provider configuration, or from the resource that created the host.
provider "posix" {
  known_hosts = [
    "web1.example.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f",
    "@cert-authority *.example.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f",
  ]

  hosts = {
    web1 = { address = "web1.example.com" }

    # Only this key.
    web2 = { address = "192.0.2.12", host_key = ["SHA256:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"] }

    # Trust on first use: the first key is added to the file, and required from then on.
    lab = { address = "192.0.2.99", host_key_policy = "accept_new", known_hosts_files = ["./known_hosts"] }
  }
}

resource "posix_file" "trusted" {
  for_each = toset(["web1", "web2", "lab"])

  host    = each.key
  path    = "/tmp/trusted"
  content = "yes\n"
}
