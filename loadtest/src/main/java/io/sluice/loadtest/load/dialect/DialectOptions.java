package io.sluice.loadtest.load.dialect;

/**
 * Options of a dialect. Immutable, for any thread.
 *
 * @param authority host and port of the server
 * @param path of the server's URL, with the query, if any
 * @param token the credential of every client, or null
 * @param inflate whether to require permessage-deflate and decompress messages
 * @param stamps whether the beginning of a payload must be passed on, for its stamp
 */
public record DialectOptions(
    String authority, String path, String token, boolean inflate, boolean stamps) {}
