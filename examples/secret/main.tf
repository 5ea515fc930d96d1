# A password that two things know, an account and the program that logs in with it,
# and neither plan nor state. It is rotated by giving the new one, and counting
# rotation up.

terraform {
  required_providers {
    posix = {
      source = "posixform/posix"
    }
  }
}

variable "password" {
  description = "The password, as TF_VAR_password or from the store of secrets that you have."
  type        = string
  sensitive   = true
  ephemeral   = true
}

variable "rotation" {
  description = "Any number that is another one when the password is."
  type        = number
}

# The host keeps a hash, which is made while a run needs it, by the host.
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

# What is to notice the new password: here, a line in a log.
resource "posix_command" "reload" {
  create   = "echo \"rotation $ROTATION\" >>/var/log/reports.log"
  update   = "echo \"rotation $ROTATION\" >>/var/log/reports.log"
  delete   = "rm -f /var/log/reports.log"
  triggers = { password = posix_file.client.content_wo_version }

  environment = { ROTATION = var.rotation }
}
