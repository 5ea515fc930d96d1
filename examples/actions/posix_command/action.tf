# Rebuild the index when the file changes.
resource "posix_file" "words" {
  path    = "/etc/app/words.txt"
  content = "one\ntwo\n"

  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.posix_command.index]
    }
  }
}

# To run the action by hand: terraform apply -invoke=action.posix_command.index
action "posix_command" "index" {
  config {
    command = "sort /etc/app/words.txt > /etc/app/words.idx && wc -l < /etc/app/words.idx"
    timeout = "5m"
  }
}
