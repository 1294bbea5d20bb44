/** Tables of queries' responses for people. Stateless; used by the main thread. */
package io.sluice.gateway.cli.query;
