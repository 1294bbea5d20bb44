/** Message selectors: their syntax, its bounds, and their evaluation in the node. */
package io.sluice.gateway.broker.selector;
