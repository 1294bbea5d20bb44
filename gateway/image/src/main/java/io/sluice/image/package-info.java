/**
 * Builds the OCI image of the gateway from its release archive and Debian packages. The build
 * step's thread calls all types; only the layers are written concurrently, one thread each. The
 * entry point is {@link io.sluice.image.ImageBuild}.
 */
package io.sluice.image;
