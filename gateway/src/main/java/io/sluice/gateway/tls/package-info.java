/**
 * TLS of the clients' port: contexts made of the certificate files, their reload, SNI and OCSP
 * stapling. Entry point: {@link io.sluice.gateway.tls.Tls}, for any thread.
 */
package io.sluice.gateway.tls;
