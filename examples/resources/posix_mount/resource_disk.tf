# A removable disk: the line in /etc/fstab is managed, but the disk is not mounted. For
# a disk that is always mounted, leave out mounted and noauto.
resource "posix_mount" "backup" {
  path    = "/mnt/backup disk" # the space is written as \040 in /etc/fstab
  source  = "UUID=0a3407de-014b-458b-b5c1-848e92a327a3"
  type    = "ext4"
  options = ["noauto", "nofail", "noatime"]
  pass    = 2
  mounted = false
}
