# Said once, and not in every resource: how the machine is reached.
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

# provisioner "remote-exec", with a look that finds drift, and an update that needs
# no new object
resource "posix_command" "app" {
  environment = { VERSION = var.app_version }

  create = "apt-get install --yes app=$VERSION"
  read   = "dpkg-query --show --showformat='$${Version}' app"
  update = "apt-get install --yes app=$VERSION"
  delete = "apt-get remove --yes app" # when = destroy

  absent_exit_codes = [1] # by this, dpkg-query says that there is no such package
}

# What is to happen when something has changed.
resource "posix_command" "restart" {
  triggers = {
    config  = posix_file.config.sha256
    version = posix_command.app.observed
  }

  create = "systemctl restart app"
  update = "systemctl restart app"
}

# What the provisioners have made is taken over, and not made again.
moved {
  from = null_resource.app
  to   = posix_command.app
}
