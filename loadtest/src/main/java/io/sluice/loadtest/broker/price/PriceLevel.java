package io.sluice.loadtest.broker.price;

import java.io.Serializable;

/**
 * Price with its quantity. Immutable, for any thread.
 *
 * @param price in ten-thousandths of the currency
 */
public record PriceLevel(long price, long quantity) implements Serializable {}
