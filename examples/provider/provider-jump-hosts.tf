# Any number of jump hosts, in the order of the connection. All hosts behind a jump host
# share one connection to it.
provider "posix" {
  hosts = {
    gate = { address = "gate.example.com", user = "jump" }
    app  = { address = "10.0.0.5", user = "root", proxy_jump = ["gate"] }
    db   = { address = "10.1.0.7", user = "root", proxy_jump = ["gate", "root@10.0.0.5"] }
  }
}

resource "posix_directory" "data" {
  for_each = toset(["app", "db"])

  host = each.key
  path = "/srv/data"
}
