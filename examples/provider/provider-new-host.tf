# Represents a virtual machine, whose address is known only after apply.
resource "terraform_data" "vm" {
  input = "192.0.2.30"
}

provider "posix" {
  hosts = {
    new = {
      address         = terraform_data.vm.output
      user            = "admin"
      sudo            = {}
      host_key_policy = "accept_new" # or host_key, if the resource returns the key of the host
      connect_retries = 30           # while the host boots
    }
  }
}

# Planned without a connection, and created once the host exists.
resource "posix_file" "on_it" {
  host    = "new"
  path    = "/srv/on-it"
  content = "Created in the same apply.\n"
}
