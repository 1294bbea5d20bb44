/** Stock clients for Java, as programs that tests start. */
package io.sluice.stock;
