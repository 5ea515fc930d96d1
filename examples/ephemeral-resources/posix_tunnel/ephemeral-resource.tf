# A database that only the host can reach. Set host to a bastion host to tunnel through
# it.
ephemeral "posix_tunnel" "db" {
  target_host = "db.internal"
  target_port = 5432
}

# Another provider connects to the database through the tunnel:
#
#   provider "postgresql" {
#     host = ephemeral.posix_tunnel.db.local_host
#     port = ephemeral.posix_tunnel.db.local_port
#   }

# A local command can use the tunnel as well.
resource "posix_command" "schema" {
  host   = "local"
  create = "psql --quiet --command='CREATE SCHEMA IF NOT EXISTS app'"

  environment_wo = {
    PGHOST = ephemeral.posix_tunnel.db.local_host
    PGPORT = ephemeral.posix_tunnel.db.local_port
  }
  environment_wo_version = "1"
}
