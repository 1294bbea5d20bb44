package io.sluice.gateway.clients;

import com.fasterxml.jackson.databind.JsonNode;

/** Application of a test client with one subscription. */
public interface MessageListener {
  /** Called for each new message, as received. */
  void onMessage(JsonNode message);

  /** Called if messages may be missing between the last one and the next. */
  void onGap(String reason);
}
