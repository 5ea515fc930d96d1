// Package store keeps sites, each as one JSON file of a directory: the service
// that the three providers of package sidebyside are for.
//
// It is what they share, and is not counted. As a real service it checks little,
// chooses some values itself (when a site was made, how often it was written)
// and may take its time: while a site has a lock file, writing waits until the
// caller gives up.
//
// Elsewhere: the same resource over it is in packages ours, framework and sdkv2.
package store
