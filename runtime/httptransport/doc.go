// Package httptransport has an HTTP transport for clients of services: it logs requests without
// secrets, and retries when the service says when to. It is for authors of providers; nothing
// in this repository calls it.
//
//	client := &http.Client{Transport: httptransport.New(nil)}
//
// A request is sent again only if it has certainly not been processed, or may be processed
// twice.
//
// Elsewhere: package runtime has Retry for all other transient errors.
package httptransport
