package io.sluice.gateway.websocket;

import io.sluice.gateway.websocket.ExtensionOffers.Offer;
import io.sluice.gateway.websocket.ExtensionOffers.Parameter;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Decides on offers of permessage-deflate: RFC 7692, section 7.1. Stateless; any thread. What is
 * agreed to never keeps a context, in neither direction.
 */
final class DeflateOffer {
  private static final String EXTENSION = "permessage-deflate";
  private static final String SERVER_NO_CONTEXT = "server_no_context_takeover";
  private static final String CLIENT_NO_CONTEXT = "client_no_context_takeover";
  private static final String SERVER_WINDOW = "server_max_window_bits";
  private static final String CLIENT_WINDOW = "client_max_window_bits";

  private static final String AGREED =
      EXTENSION + "; " + SERVER_NO_CONTEXT + "; " + CLIENT_NO_CONTEXT;

  private DeflateOffer() {}

  /** The answer to the first acceptable offer, or null if there is none. */
  static String agree(List<Offer> offers) {
    for (Offer offer : offers) {
      if (offer.name().equals(EXTENSION) && isAcceptable(offer)) {
        return asksForWindow(offer) ? AGREED + "; " + SERVER_WINDOW + "=15" : AGREED;
      }
    }
    return null;
  }

  private static boolean isAcceptable(Offer offer) {
    Set<String> seen = new HashSet<>();
    for (Parameter parameter : offer.parameters()) {
      if (!seen.add(parameter.name()) || !isAcceptable(parameter)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isAcceptable(Parameter parameter) {
    String value = parameter.value();
    return switch (parameter.name()) {
      case SERVER_NO_CONTEXT, CLIENT_NO_CONTEXT -> value == null;
      // The deflater's window is 15 bits wide and no other can be had.
      case SERVER_WINDOW -> "15".equals(value);
      // The inflater takes any window, so nothing needs to be asked of the client.
      case CLIENT_WINDOW -> value == null || isWindow(value);
      default -> false;
    };
  }

  private static boolean isWindow(String value) {
    return switch (value) {
      case "8", "9", "10", "11", "12", "13", "14", "15" -> true;
      default -> false;
    };
  }

  private static boolean asksForWindow(Offer offer) {
    return offer.parameters().stream().anyMatch(p -> p.name().equals(SERVER_WINDOW));
  }
}
