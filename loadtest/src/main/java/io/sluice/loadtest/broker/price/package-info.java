/**
 * Contains typed price updates, their encoding, and their recording in files. Types are immutable,
 * except recorders and readers, which one thread uses. The entry points are {@link
 * io.sluice.loadtest.broker.price.PriceUpdate} and {@link
 * io.sluice.loadtest.broker.price.PriceFeed}.
 */
package io.sluice.loadtest.broker.price;
