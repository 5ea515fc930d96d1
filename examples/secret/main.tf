# Sets the password of an account, and writes it to the configuration of the program that
# uses the account. The password is not stored in the plan or the state. To rotate it, set
# the new password and increase rotation.

terraform {
  required_providers {
    posix = {
      source = "posixform/posix"
    }
  }
}

variable "password" {
  description = "Password, from TF_VAR_password or a secret store."
  type        = string
  sensitive   = true
  ephemeral   = true
}

variable "rotation" {
  description = "Number that changes with the password."
  type        = number
}

# The hash is computed on the host, during the run.
ephemeral "posix_command" "hash" {
  command = "openssl passwd -6 -stdin"
  stdin   = var.password
}

resource "posix_user" "reports" {
  name                     = "reports"
  comment                  = "takes the nightly reports"
  shell                    = "/usr/sbin/nologin"
  create_home              = false
  password_hash_wo         = ephemeral.posix_command.hash.stdout
  password_hash_wo_version = tostring(var.rotation)
}

resource "posix_file" "client" {
  path               = "/etc/reports.conf"
  mode               = "0600"
  content_wo         = <<-EOT
    user     = ${posix_user.reports.name}
    password = ${var.password}
  EOT
  content_wo_version = tostring(var.rotation)
}

# Notifies the program of the new password: here, with a line in a log.
resource "posix_command" "reload" {
  create   = "echo \"rotation $ROTATION\" >>/var/log/reports.log"
  update   = "echo \"rotation $ROTATION\" >>/var/log/reports.log"
  delete   = "rm -f /var/log/reports.log"
  triggers = { password = posix_file.client.content_wo_version }

  environment = { ROTATION = var.rotation }
}
