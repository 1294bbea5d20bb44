package io.sluice.loadtest;

import java.util.Optional;

/**
 * Address, encoding and credential of the gateway under test. Immutable.
 *
 * @param url of the gateway's WebSocket
 * @param binary whether messages are binary frames
 * @param prefix of topic names, which end with a number
 * @param token the credential; empty if the gateway requires none
 * @param inflate whether load generators require compression and verify payloads
 */
record GatewayTarget(
    String url, boolean binary, String prefix, Optional<TokenFile> token, boolean inflate) {

  String subprotocol() {
    return binary ? "sluice.v1.bin" : "sluice.v1.json";
  }

  /** Returns the frame that opens the session, or nothing without a credential. */
  Optional<String> connectFrame() {
    return token.map(
        credential ->
            "{\"type\":\"connect\",\"client\":\"sluice-loadtest\",\"token\":\""
                + credential.value().replace("\\", "\\\\").replace("\"", "\\\"")
                + "\"}");
  }
}
