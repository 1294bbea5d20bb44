/** Links between nodes: their records, and the side that serves the logs of its topics. */
package io.sluice.gateway.link;
