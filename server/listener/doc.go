// Package listener opens the server's sockets and bounds what clients can hold of them.
//
// [Listen] opens a socket. [Limit] wraps it in a [Listener], which bounds the number of
// connections, in all and for each client, and closes idle ones first. It bounds the memory of
// request headers too. [Proxies] finds the address of a client behind trusted proxies, and
// [RateLimitKey] the address by which a client is limited.
//
// # Imports
//
// listener may import api and flags. It knows no game and no table. Package service imports it.
//
// # Trust
//
// Clients are not trusted: they may be slow, greedy or silent. The header X-Forwarded-For
// counts only if it comes from a trusted proxy.
package listener
