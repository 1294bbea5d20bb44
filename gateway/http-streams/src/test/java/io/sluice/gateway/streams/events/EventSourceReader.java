package io.sluice.gateway.streams.events;

import java.util.ArrayList;
import java.util.List;

/**
 * Parser of an event stream as a browser has it: WHATWG HTML, section 9.2.6. Written from the
 * specification, independent of the gateway's writer.
 */
final class EventSourceReader {
  /** Dispatched event. */
  record Event(String type, String data, String lastEventId) {}

  final List<Event> events = new ArrayList<>();
  String lastEventId = "";
  long retryMs = -1;

  private String idBuffer = "";
  private String type = "";
  private StringBuilder data = new StringBuilder();

  static EventSourceReader of(String stream) {
    EventSourceReader reader = new EventSourceReader();
    String rest = stream.startsWith("\uFEFF") ? stream.substring(1) : stream;
    while (!rest.isEmpty()) {
      int end = 0;
      while (end < rest.length() && rest.charAt(end) != '\n' && rest.charAt(end) != '\r') {
        end++;
      }
      if (end == rest.length()) {
        break; // an incomplete line at the end of the stream is discarded
      }
      reader.line(rest.substring(0, end));
      rest = rest.substring(rest.startsWith("\r\n", end) ? end + 2 : end + 1);
    }
    return reader;
  }

  private void line(String line) {
    if (line.isEmpty()) {
      dispatch();
    } else if (line.charAt(0) != ':') {
      int colon = line.indexOf(':');
      String value = colon < 0 ? "" : line.substring(colon + 1);
      field(
          colon < 0 ? line : line.substring(0, colon),
          value.startsWith(" ") ? value.substring(1) : value);
    }
  }

  private void field(String name, String value) {
    switch (name) {
      case "event" -> type = value;
      case "data" -> data.append(value).append('\n');
      case "id" -> idBuffer = value.indexOf('\0') >= 0 ? idBuffer : value;
      case "retry" -> retryMs = value.matches("[0-9]+") ? Long.parseLong(value) : retryMs;
      default -> {}
    }
  }

  private void dispatch() {
    lastEventId = idBuffer;
    if (!data.isEmpty()) {
      data.setLength(data.length() - 1);
      events.add(new Event(type.isEmpty() ? "message" : type, data.toString(), lastEventId));
    }
    data = new StringBuilder();
    type = "";
  }
}
