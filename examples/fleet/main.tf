# Three machines, one of them behind another: a folder, a file and a command on
# each, by one provider and one for_each.

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

output "greetings" {
  description = "What each machine says."
  value       = { for name, command in posix_command.greet : name => command.stdout }
}
