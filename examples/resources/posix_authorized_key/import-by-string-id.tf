import {
  to = posix_authorized_key.alice
  id = "deploy/SHA256:Z/oqft3czw9YD6WQnOP4amUu9APNS/S9Vp4G29PVae8" # or with a host: "local:deploy/SHA256:…"
}
