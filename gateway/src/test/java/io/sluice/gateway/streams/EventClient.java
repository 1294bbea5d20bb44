package io.sluice.gateway.streams;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Client of an event stream that behaves like a browser's EventSource, without its reconnects. One
 * thread uses it.
 */
final class EventClient implements AutoCloseable {
  /** Event as a page receives it. */
  record Event(String type, String data, String lastEventId) {}

  /** End of the stream, or its loss. */
  private static final Event END = new Event("end", "", "");

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final HttpResponse<InputStream> response;
  private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
  volatile String lastEventId = "";
  volatile long retryMs = -1;
  volatile int comments;

  private EventClient(HttpResponse<InputStream> response) {
    this.response = response;
    Thread reader = new Thread(this::read, "event-client");
    reader.setDaemon(true);
    reader.start();
  }

  /**
   * Opens a stream.
   *
   * @param headers names and values in turn
   */
  static EventClient open(HttpClient http, String url, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url)).header("Accept", "text/event-stream");
    if (headers.length > 0) {
      request.headers(headers);
    }
    try {
      return new EventClient(http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  int status() {
    return response.statusCode();
  }

  HttpResponse<?> response() {
    return response;
  }

  private void read() {
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
      String id = "";
      String type = "";
      StringBuilder data = new StringBuilder();
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        int colon = line.indexOf(':');
        String name = colon < 0 ? line : line.substring(0, colon);
        String value = colon < 0 ? "" : line.substring(colon + 1).replaceFirst("^ ", "");
        switch (line.isEmpty() ? "dispatch" : name) {
          case "" -> comments++;
          case "id" -> id = value;
          case "event" -> type = value;
          case "data" -> data.append(value).append('\n');
          case "retry" -> retryMs = Long.parseLong(value);
          case "dispatch" -> {
            lastEventId = id;
            if (!data.isEmpty()) {
              data.setLength(data.length() - 1);
              events.add(new Event(type.isEmpty() ? "message" : type, data.toString(), id));
            }
            type = "";
            data = new StringBuilder();
          }
          default -> {}
        }
      }
    } catch (IOException lost) {
      // the node has closed the connection
    }
    events.add(END);
  }

  /** Returns the next event; that of the type {@code end} is the end of the stream. */
  Event next() {
    try {
      Event event = events.poll(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
      if (event == null) {
        throw new AssertionError("no event within " + TIMEOUT);
      }
      return event;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns the next event of a type and skips others. */
  Event await(String type) {
    Event event = next();
    while (!event.type().equals(type)) {
      if (event == END) {
        throw new AssertionError("the stream ended before " + type);
      }
      event = next();
    }
    return event;
  }

  /** Returns topic and payload of the next event, which is a message as JSON. */
  String payload() throws IOException {
    JsonNode message = JSON.readTree(await("message").data());
    return message.get("topic").asText() + "=" + message.get("payload").asText();
  }

  /** Returns the data of the next events, all of which are messages. */
  List<String> messages(int count) {
    List<String> data = new ArrayList<>();
    while (data.size() < count) {
      Event event = next();
      if (!event.type().equals("message")) {
        throw new AssertionError("after " + data + ": " + event);
      }
      data.add(event.data());
    }
    return data;
  }

  @Override
  public void close() {
    try {
      response.body().close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
