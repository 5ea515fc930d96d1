# A database that the host can reach, and this machine cannot. With host set to a
# bastion, the tunnel leads through that.
ephemeral "posix_tunnel" "db" {
  target_host = "db.internal"
  target_port = 5432
}

# Another provider connects to it as if it were here:
#
#   provider "postgresql" {
#     host = ephemeral.posix_tunnel.db.local_host
#     port = ephemeral.posix_tunnel.db.local_port
#   }

# So does a command on this machine.
resource "posix_command" "schema" {
  host   = "local"
  create = "psql --quiet --command='CREATE SCHEMA IF NOT EXISTS app'"

  environment_wo = {
    PGHOST = ephemeral.posix_tunnel.db.local_host
    PGPORT = ephemeral.posix_tunnel.db.local_port
  }
  environment_wo_version = "1"
}
