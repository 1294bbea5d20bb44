/**
 * TLS of the clients' port: contexts made from certificate files, their reload, SNI and client
 * certificates. Entry point: {@link io.sluice.gateway.tls.Tls}, for any thread.
 */
package io.sluice.gateway.tls;
