/** Tests of compression with real clients. */
package io.sluice.gateway.compression;
