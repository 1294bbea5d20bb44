/** Makes the OCI image of the gateway out of its archive and Debian packages. */
package io.sluice.image;
