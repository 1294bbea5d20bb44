/**
 * Messages as checks read them, and the checks of the protocol. Simulations use {@code
 * SluiceMessage} and the checks of {@code SluiceDsl}; the rest is internal. No type has a thread.
 */
package io.sluice.gatling.check;
