# The connection is configured once, in the provider.
provider "posix" {
  hosts = {
    web = { address = "web.example.com", user = "deploy", sudo = {} }
  }
  default_host = "web"
}

variable "app_version" {
  type    = string
  default = "1.4.2"
}

# provisioner "file"
resource "posix_file" "config" {
  path    = "/etc/app/app.conf"
  content = "workers = 4\n"
}

# provisioner "remote-exec". read detects drift, and update avoids a replacement. read also
# prints the status, because a removed package keeps its version until it is purged.
resource "posix_command" "app" {
  environment = { VERSION = var.app_version }

  create = "apt-get install --yes app=$VERSION"
  read   = "dpkg-query --show --showformat='$${db:Status-Status} $${Version}' app"
  update = "apt-get install --yes app=$VERSION"
  delete = "apt-get remove --yes app" # when = destroy

  absent_exit_codes = [1] # dpkg-query exits with 1 if there is no such package
}

# Runs whenever one of the triggers changes.
resource "posix_command" "restart" {
  triggers = {
    config  = posix_file.config.sha256
    version = posix_command.app.observed
  }

  create = "systemctl restart app"
  update = "systemctl restart app"
}

# Keeps the objects that the provisioners created.
moved {
  from = null_resource.app
  to   = posix_command.app
}
