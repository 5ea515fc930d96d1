variable "password" {
  type      = string
  ephemeral = true # neither in the plan nor in the state
}

# Secrets can also be set in the environment: POSIX_PASSWORD for all hosts,
# POSIX_HOST_OLD_PASSWORD for the host "old".
provider "posix" {
  hosts = {
    # Private key with a certificate.
    certified = { address = "192.0.2.11", private_key_path = "~/.ssh/id_ed25519", certificate_path = "~/.ssh/signed-cert.pub" }

    # Password, for SSH and for sudo.
    old = { address = "192.0.2.12", password = var.password, sudo = { password = var.password } }

    # Keys of an SSH agent; then sudo to the user deploy.
    agent = { address = "192.0.2.13", agent = true, agent_socket = "/run/user/1000/ssh-agent.socket", sudo = { user = "deploy" } }
  }
}

resource "posix_file" "login" {
  for_each = toset(["certified", "old", "agent"])

  host    = each.key
  path    = "/tmp/login"
  content = "by ${each.key}\n"
}
