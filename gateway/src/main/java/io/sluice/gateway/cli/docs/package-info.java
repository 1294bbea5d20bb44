/**
 * HTTP server of the documentation site. Entry point is {@code DocsServer}; any thread may close
 * it.
 */
package io.sluice.gateway.cli.docs;
