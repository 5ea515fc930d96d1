resource "posix_authorized_key" "alice" {
  user = "deploy"
  key  = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEOoHMrkMiFXnVrDRVi0PEu+Ei65m4EmGywVfNy7D3zr alice@laptop" # or file("alice.pub")
}

# A key that is restricted to one command and one network.
resource "posix_authorized_key" "backup" {
  user = "deploy"
  key  = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIP+TfrLkGemOpq8QkbEKsC08tkA+O2oy+FXlvsxVI6Tv backup"
  options = [
    "restrict",
    "from=192.0.2.0/24",
    "command=/usr/bin/rrsync -ro /srv",
  ]
}
