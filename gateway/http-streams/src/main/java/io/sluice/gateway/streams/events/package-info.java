/** Server-Sent Events. Bound to the event loop of the client. */
package io.sluice.gateway.streams.events;
