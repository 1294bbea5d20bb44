package io.sluice.loadtest;

import java.util.Optional;

/**
 * Address, encoding and credential of the gateway under test. Immutable.
 *
 * @param url of the gateway's WebSocket
 * @param binary whether messages come as binary frames
 * @param prefix of the topics' names, which end with a number
 * @param token the credential; empty if the gateway asks for none
 */
record GatewayTarget(String url, boolean binary, String prefix, Optional<TokenFile> token) {

  String subprotocol() {
    return binary ? "sluice.v1.bin" : "sluice.v1.json";
  }

  /** The frame that opens the session; nothing without a credential. */
  Optional<String> connectFrame() {
    return token.map(
        credential ->
            "{\"type\":\"connect\",\"client\":\"sluice-loadtest\",\"token\":\""
                + credential.value().replace("\\", "\\\\").replace("\"", "\\\"")
                + "\"}");
  }
}
