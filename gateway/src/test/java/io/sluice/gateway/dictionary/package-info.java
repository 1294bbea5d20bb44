/** Tests of trained dictionaries. */
package io.sluice.gateway.dictionary;
