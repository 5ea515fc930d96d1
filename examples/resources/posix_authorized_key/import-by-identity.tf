import {
  to = posix_authorized_key.alice
  identity = {
    user        = "deploy" # on the provider's default_host, since host is not set
    fingerprint = "SHA256:Z/oqft3czw9YD6WQnOP4amUu9APNS/S9Vp4G29PVae8"
  }
}
