/**
 * Checks of the TLS of a node's ports by testssl.sh: {@link
 * io.sluice.gateway.testssl.TestsslSuite}.
 */
package io.sluice.gateway.testssl;
