/**
 * Forms of text, values and times in frames: docs/PROTOCOL.md, section 2. All JSON of the node is
 * written by this package.
 */
package io.sluice.gateway.protocol.value;
