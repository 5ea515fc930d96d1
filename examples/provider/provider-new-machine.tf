# Instead of a machine that a cloud makes: its address is known only after apply.
resource "terraform_data" "machine" {
  input = "192.0.2.30"
}

provider "posix" {
  hosts = {
    new = {
      address = terraform_data.machine.output
      user    = "admin"
    }
  }
}

# It is planned without the machine, and made once that is there.
resource "posix_file" "on_it" {
  host    = "new"
  path    = "/srv/on-it"
  content = "Made in the same run.\n"
}
