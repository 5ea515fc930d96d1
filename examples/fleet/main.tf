# Three hosts, one of them behind a jump host: a directory, a file and a command on each,
# with one for_each; and a tunnel for a second provider.

terraform {
  required_providers {
    posix = {
      source = "posixform/posix"
    }
  }
}

variable "hosts" {
  description = "Hosts by name: address, port, host key, and the jump host, if there is one."
  type = map(object({
    address  = string
    port     = number
    host_key = string
    jump     = optional(string)
  }))
}

variable "user" {
  description = "SSH user on all hosts."
  type        = string
}

variable "private_key_path" {
  description = "Path of the private key for all hosts."
  type        = string
}

variable "root" {
  description = "Existing directory on each host in which all objects are created."
  type        = string
}

variable "greeting" {
  type    = string
  default = "hello"
}

provider "posix" {
  user             = var.user
  private_key_path = var.private_key_path
  ssh_config       = "none" # independent of ~/.ssh/config

  hosts = {
    for name, host in var.hosts : name => {
      address    = host.address
      port       = host.port
      host_key   = [host.host_key]
      proxy_jump = host.jump == null ? [] : [host.jump]
    }
  }
}

resource "posix_directory" "app" {
  for_each = var.hosts
  host     = each.key
  path     = "${var.root}/${each.key}"
}

resource "posix_file" "settings" {
  for_each = var.hosts
  host     = each.key
  path     = "${posix_directory.app[each.key].path}/settings.ini"
  content  = <<-EOT
    name     = ${each.key}
    greeting = ${var.greeting}
  EOT
}

# create runs once, update whenever the file changes. The plan compares the output of read
# with its output in the last apply.
resource "posix_command" "greet" {
  for_each          = var.hosts
  host              = each.key
  working_directory = posix_directory.app[each.key].path
  triggers          = { settings = posix_file.settings[each.key].sha256 }

  create = "sed -n 's/^greeting = //p' settings.ini > greeting"
  update = "sed -n 's/^greeting = //p' settings.ini > greeting"
  read   = "cat greeting"
  delete = "rm greeting"
}

# A local port that is forwarded through bastion to db during a run.
ephemeral "posix_tunnel" "db" {
  host        = "bastion"
  target_host = var.hosts["db"].address
  target_port = var.hosts["db"].port
}

# A second provider, which has no configuration for bastion. It represents a database
# provider, or any other that is configured with an address and a port.
provider "posix" {
  alias            = "by_tunnel"
  user             = var.user
  private_key_path = var.private_key_path
  ssh_config       = "none"

  hosts = {
    db = {
      address  = ephemeral.posix_tunnel.db.local_host
      port     = ephemeral.posix_tunnel.db.local_port
      host_key = [var.hosts["db"].host_key]
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
  description = "Output of read on each host."
  value       = { for name, command in posix_command.greet : name => command.observed }
}
