/**
 * TLS of both ports and between nodes: contexts made from certificate files, their reload, SNI and
 * client certificates. All types are for any thread; a {@code Tls} has one thread that watches the
 * files. Entry point: {@link io.sluice.gateway.tls.Tls}.
 */
package io.sluice.gateway.tls;
