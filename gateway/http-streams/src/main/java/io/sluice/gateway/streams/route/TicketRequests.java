package io.sluice.gateway.streams.route;

import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.handshake.Refusal;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import java.util.List;

/** Handler of requests for tickets and with tickets. For any thread. */
public final class TicketRequests {
  /** Path of requests for a ticket. */
  public static final String PATH = "/ticket";

  private static final int MAX_TOPICS = 64;

  private final Tickets tickets;

  public TicketRequests(Tickets tickets) {
    this.tickets = tickets;
  }

  /**
   * Answers {@code POST /ticket?topic=…}. The credential and the permissions are checked when the
   * ticket is used.
   */
  public void serve(StreamRequest request) {
    try {
      String ticket = tickets.issue(ticket(request));
      HttpServerResponse response = request.exchange().request().response();
      request.cors().forEach(response::putHeader);
      response
          .setStatusCode(201)
          .putHeader("Content-Type", "application/json")
          .putHeader("Cache-Control", "no-store")
          .end(
              new JsonObject()
                  .put("ticket", ticket)
                  .put("seconds", Tickets.LIFETIME.toSeconds())
                  .encode());
    } catch (RefusedRequest e) {
      request.refuse(e.refusal());
    }
  }

  private static Ticket ticket(StreamRequest request) throws RefusedRequest {
    if (!request.exchange().request().method().name().equals("POST")) {
      throw new RefusedRequest(Refusal.method("a ticket is requested with POST", "POST"));
    }
    List<String> topics = request.query().all("topic");
    if (topics.isEmpty() || topics.size() > MAX_TOPICS) {
      throw new RefusedRequest(
          "a ticket names 1 to " + MAX_TOPICS + " topics in the parameter topic");
    }
    Credential credential = request.credential();
    if (!(credential instanceof Credential.Token token)) {
      String what = credential == null ? "the request has no token" : "a ticket requires a token";
      throw new RefusedRequest(StatusCodes.refusal("unauthorized", what));
    }
    if (token.value().length() > Tickets.MAX_TOKEN_LENGTH) {
      throw new RefusedRequest(
          "the token has more than " + Tickets.MAX_TOKEN_LENGTH + " characters");
    }
    return new Ticket(token, topics);
  }

  /**
   * Returns the credential of a request: that of its ticket, which is used by this call, or its
   * own.
   *
   * @param topics of the request, for which the ticket must be valid
   * @return null if it has none
   */
  public Credential credential(StreamRequest request, List<String> topics) throws RefusedRequest {
    String text = request.query().first("ticket");
    if (text == null) {
      return request.credential();
    }
    Refusal unavailable = request.exchange().unavailable();
    if (unavailable != null) {
      throw new RefusedRequest(unavailable); // another node may accept the ticket
    }
    Ticket ticket = tickets.redeem(text);
    if (ticket == null) {
      throw new RefusedRequest(
          StatusCodes.refusal(
              "unauthorized", "the ticket was used, has expired, or is not of this cluster"));
    }
    String uncovered = ticket.uncovered(topics);
    if (uncovered != null) {
      throw new RefusedRequest(
          StatusCodes.refusal("forbidden", "the ticket is not valid for \"" + uncovered + "\""));
    }
    return ticket.credential();
  }
}
