/**
 * Has testssl.sh judge the TLS of a node's ports: {@link io.sluice.gateway.testssl.TestsslSuite}.
 */
package io.sluice.gateway.testssl;
