variable "ports" {
  type = set(number)
}

resource "legacy_server" "s" {
  name   = local.name
  labels = [path.module, path.root]
  ports  = var.ports
}
