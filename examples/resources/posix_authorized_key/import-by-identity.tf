import {
  to = posix_authorized_key.alice
  identity = {
    user        = "deploy" # on the provider's default host, as host is left out
    fingerprint = "SHA256:Z/oqft3czw9YD6WQnOP4amUu9APNS/S9Vp4G29PVae8"
  }
}
