# Three machines, one of them behind another: a folder, a file and a command on
# each, by one provider and one for_each. And a tunnel, by which another provider
# gets to where only one of them can go.

terraform {
  required_providers {
    posix = {
      source = "posixform/posix"
    }
  }
}

variable "machines" {
  description = "The machines by name: where each is, its host key, and the one to go through."
  type = map(object({
    address  = string
    port     = number
    host_key = string
    behind   = optional(string)
  }))
}

variable "user" {
  description = "Who logs in."
  type        = string
}

variable "private_key_path" {
  description = "The private key that opens all of them."
  type        = string
}

variable "root" {
  description = "The folder in which everything happens. It exists on each machine."
  type        = string
}

variable "greeting" {
  type    = string
  default = "hello"
}

provider "posix" {
  user             = var.user
  private_key_path = var.private_key_path
  ssh_config       = "none" # what ~/.ssh/config says of other machines is not to matter here

  hosts = {
    for name, machine in var.machines : name => {
      address    = machine.address
      port       = machine.port
      host_key   = [machine.host_key]
      proxy_jump = machine.behind == null ? [] : [machine.behind]
    }
  }
}

resource "posix_directory" "app" {
  for_each = var.machines
  host     = each.key
  path     = "${var.root}/${each.key}"
}

resource "posix_file" "settings" {
  for_each = var.machines
  host     = each.key
  path     = "${posix_directory.app[each.key].path}/settings.ini"
  content  = <<-EOT
    name     = ${each.key}
    greeting = ${var.greeting}
  EOT
}

# Runs on the machine when it is made, and again when the file has changed. What
# read prints is how it is: where that changes, the next plan says so.
resource "posix_command" "greet" {
  for_each          = var.machines
  host              = each.key
  working_directory = posix_directory.app[each.key].path
  triggers          = { settings = posix_file.settings[each.key].sha256 }

  create = "sed -n 's/^greeting = //p' settings.ini > greeting"
  update = "sed -n 's/^greeting = //p' settings.ini > greeting"
  read   = "cat greeting"
  delete = "rm greeting"
}

# A port of this machine that leads through bastion to one that only bastion can
# reach, for as long as a run needs it.
ephemeral "posix_tunnel" "db" {
  host        = "bastion"
  target_host = var.machines["db"].address
  target_port = var.machines["db"].port
}

# Another provider, which knows nothing of bastion. This one takes the part of the
# provider of a database, say: what has an address and a port can be given these.
provider "posix" {
  alias            = "by_tunnel"
  user             = var.user
  private_key_path = var.private_key_path
  ssh_config       = "none"

  hosts = {
    db = {
      address  = ephemeral.posix_tunnel.db.local_host
      port     = ephemeral.posix_tunnel.db.local_port
      host_key = [var.machines["db"].host_key]
    }
  }
}

resource "posix_file" "by_tunnel" {
  provider = posix.by_tunnel
  host     = "db"
  path     = "${posix_directory.app["db"].path}/by-tunnel"
  content  = "This came through the tunnel.\n"
}

output "greetings" {
  description = "What each machine says."
  value       = { for name, command in posix_command.greet : name => command.stdout }
}
