/**
 * Trained dictionaries of a node: files of the configuration, and the training. Entry types: {@link
 * io.sluice.gateway.dictionary.Dictionaries}, for any thread, and {@link
 * io.sluice.gateway.dictionary.DictionaryTrainer}, for one thread.
 */
package io.sluice.gateway.dictionary;
