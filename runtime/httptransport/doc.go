// Package httptransport has an HTTP transport for clients of services: it logs requests without
// headers, query and body, and retries when the service says when to. It is for authors of
// providers; nothing in this repository calls it.
//
//	client := &http.Client{Transport: httptransport.New(nil)}
//
// A request is sent again only if the server did not process it (status 429) or it is idempotent.
//
// Elsewhere: package runtime has Retry for all other transient errors.
package httptransport
