variable "password" {
  type      = string
  ephemeral = true # neither in the plan nor in the state
}

# Ways to log in, and to become another user then. Instead of being written here,
# secrets can be in the environment: POSIX_PASSWORD for all hosts,
# POSIX_HOST_OLD_PASSWORD for one, and so on.
provider "posix" {
  hosts = {
    # A key, with its certificate.
    certified = { address = "192.0.2.11", private_key_path = "~/.ssh/id_ed25519", certificate_path = "~/.ssh/signed-cert.pub" }

    # A password, which sudo asks for as well.
    old = { address = "192.0.2.12", password = var.password, sudo = { password = var.password } }

    # The keys of an agent, and the rights of another user.
    agent = { address = "192.0.2.13", agent = true, agent_socket = "/run/user/1000/ssh-agent.socket", sudo = { user = "deploy" } }
  }
}

resource "posix_file" "login" {
  for_each = toset(["certified", "old", "agent"])

  host    = each.key
  path    = "/srv/login"
  content = "by ${each.key}\n"
}
