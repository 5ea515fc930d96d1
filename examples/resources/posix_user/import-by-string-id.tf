import {
  to = posix_user.alice
  id = "alice" # or with a host: "local:alice"
}
