/**
 * Java's trust store in the image, the only part that {@code build-image.sh} cannot create with
 * other tools. The entry point is {@link io.sluice.image.TrustStore}.
 */
package io.sluice.image;
