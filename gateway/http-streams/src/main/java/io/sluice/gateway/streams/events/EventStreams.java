package io.sluice.gateway.streams.events;

import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.handshake.Refusal;
import io.sluice.gateway.streams.route.RefusedRequest;
import io.sluice.gateway.streams.route.StreamRequest;
import io.sluice.gateway.streams.route.TicketRequests;
import java.util.Map;

/** Handler of requests for event streams. For any thread. */
public final class EventStreams {
  private final TicketRequests tickets;

  public EventStreams(TicketRequests tickets) {
    this.tickets = tickets;
  }

  /** Answers a request for an event stream, within its handler. */
  public void serve(StreamRequest received) {
    if (!received.exchange().request().method().name().equals("GET")) {
      received.refuse(Refusal.method("an event stream is requested with GET", "GET"));
      return;
    }
    try {
      EventRequest request =
          EventRequest.of(received.name(), received.query(), received.header("Last-Event-ID"));
      open(received, request, tickets.credential(received, request.topics()));
    } catch (RefusedRequest e) {
      received.refuse(e.refusal());
    }
  }

  private static void open(StreamRequest received, EventRequest request, Credential credential) {
    Map<String, String> headers = received.headers(Map.of());
    Refusal refusal =
        received
            .exchange()
            .handOver(
                connection ->
                    EventStream.of(
                        received.exchange().loop(), connection, request, credential, headers));
    if (refusal != null) {
      received.refuse(refusal);
    }
  }
}
