import {
  to = posix_user.alice
  id = "alice" # or with the host before the name: "local:alice"
}
