# To run the action by hand: terraform apply -invoke=action.posix_service_restart.web
action "posix_service_restart" "web" {
  config {
    names = ["nginx"]
    mode  = "reload-or-restart"
  }
}
