// Package store keeps sites, each as one JSON file in a directory: the service that the
// three providers of package sidebyside manage.
//
// They share it, so its code is not counted. Like a real service, it checks little, sets
// some values itself (the creation time, the number of writes) and may be slow: while a
// site has a lock file, writing blocks until the caller's context ends.
//
// Elsewhere: packages ours, framework and sdkv2 have the resource.
package store
