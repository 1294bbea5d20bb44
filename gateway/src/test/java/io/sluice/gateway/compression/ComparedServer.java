package io.sluice.gateway.compression;

import io.sluice.testkit.FreePorts;
import io.sluice.testkit.ProcessTime;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.JMSException;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ConnectException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Server process of the comparison, and the publishing of its messages. Bound to one thread. */
final class ComparedServer implements AutoCloseable {
  private static final String TOPIC = "t";
  private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");
  private static final String EXTENSION = "Sec-WebSocket-Extensions: permessage-deflate";

  /** Method of compression. */
  enum Method {
    SLUICE("previous message"),
    SLUICE_ALONE("alone"),
    WS_CONTEXT("context per client (ws)"),
    WS_ALONE("alone per client (ws)"),
    CENTRIFUGO("Fossil delta (Centrifugo)");

    final String title;

    Method(String title) {
      this.title = title;
    }
  }

  /** Sends a message to all clients. */
  private interface Publishing {
    void publish(String payload) throws Exception;
  }

  private final Method method;
  private final int port = FreePorts.one();
  private final Process process;
  private final Publishing publishing;
  private TestPublisher publisher;
  private int published;

  /**
   * Starts a server.
   *
   * @param broker URL of the node's broker
   * @param centrifugo the program
   */
  ComparedServer(Method method, String broker, String centrifugo) throws Exception {
    this.method = method;
    switch (method) {
      case SLUICE, SLUICE_ALONE -> {
        process = startNode(broker);
        publisher = new TestPublisher("artemis", broker);
        publishing = payload -> publisher.text(TOPIC, payload);
      }
      case WS_CONTEXT, WS_ALONE -> {
        String kind = method == Method.WS_CONTEXT ? "context" : "alone";
        process = start("../js-client", "node", "browser/compression-server.mjs", "" + port, kind);
        PrintStream lines = new PrintStream(process.getOutputStream(), true);
        Random ids = new Random(26);
        publishing = payload -> lines.println(frame(ids, payload));
      }
      default -> {
        process = startCentrifugo(centrifugo);
        HttpClient http = HttpClient.newHttpClient();
        publishing = payload -> postToCentrifugo(http, payload);
      }
    }
    awaitPort();
  }

  private static Process start(String folder, String... command) throws IOException {
    return new ProcessBuilder(command)
        .directory(new File(folder))
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  // The heap is touched at once, so that its growth is not counted as memory of clients twice.
  private Process startNode(String broker) throws IOException {
    Path config = Files.createTempFile("node", ".yaml");
    Files.writeString(
        config,
        """
        server.host: 127.0.0.1
        broker.url: %s
        timeouts.ping: 10m
        limits.per-address: {connections: 0, handshake-rate: 0, subscriptions: 0, topics: 0}
        limits.per-principal: {connections: 0, handshake-rate: 0, subscriptions: 0, topics: 0}
        """
            .formatted(broker));
    return start(
        ".",
        JAVA.toString(),
        "-Xms1g",
        "-Xmx1g",
        "-XX:+AlwaysPreTouch",
        "-cp",
        System.getProperty("java.class.path"),
        "io.sluice.gateway.cli.Sluice",
        "run",
        "--anonymous",
        "--config",
        config.toString(),
        "--port",
        "" + port,
        "--admin-port",
        "0");
  }

  private Process startCentrifugo(String program) throws IOException {
    Path config = Files.createTempFile("centrifugo", ".json");
    Files.writeString(
        config,
        """
        {"client": {"insecure": true, "allowed_origins": ["*"], "ping_interval": "600s",
           "pong_timeout": "100s"},
         "http_server": {"address": "127.0.0.1", "port": %d},
         "http_api": {"insecure": true}, "log": {"level": "error"},
         "channel": {"without_namespace": {"allow_subscribe_for_client": true,
           "history_size": 10, "history_ttl": "300s", "force_positioning": true,
           "allowed_delta_types": ["fossil"], "delta_publish": true}}}
        """
            .formatted(port));
    return start(".", program, "-c", config.toString());
  }

  private void awaitPort() throws IOException {
    while (process.isAlive()) {
      try {
        new Socket("127.0.0.1", port).close();
        return;
      } catch (ConnectException e) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
      }
    }
    throw new IOException(method + " ended with " + process.exitValue());
  }

  // The same content as a binary frame of the node.
  private String frame(Random ids, String payload) {
    byte[] text = payload.getBytes(StandardCharsets.UTF_8);
    ByteBuffer frame = ByteBuffer.allocate(20 + text.length);
    frame.putInt(0x01000001).putInt(++published).putLong(ids.nextLong());
    frame.putInt((int) System.currentTimeMillis()).put(text);
    return Base64.getEncoder().encodeToString(frame.array());
  }

  private void postToCentrifugo(HttpClient http, String payload) throws Exception {
    String body = "{\"channel\":\"" + TOPIC + "\",\"data\":" + payload + "}";
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/api/publish"))
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    String answer = http.send(request, BodyHandlers.ofString()).body();
    if (answer.contains("\"error\"")) {
      throw new IOException(answer);
    }
  }

  void publish(String payload) throws Exception {
    publishing.publish(payload);
  }

  int port() {
    return port;
  }

  /** Returns the handshake's additional headers. */
  String headers() {
    return switch (method) {
      case SLUICE -> EXTENSION + "\r\nSec-WebSocket-Protocol: sluice.v1.bin\r\n";
      case SLUICE_ALONE ->
          EXTENSION + "; server_no_context_takeover\r\nSec-WebSocket-Protocol: sluice.v1.bin\r\n";
      case WS_CONTEXT -> EXTENSION + "\r\n";
      case WS_ALONE -> EXTENSION + "; server_no_context_takeover\r\n";
      case CENTRIFUGO -> "";
    };
  }

  /** Returns whether one frame may contain several messages. */
  boolean joinsMessages() {
    return method == Method.CENTRIFUGO;
  }

  String path() {
    return method == Method.CENTRIFUGO ? "/connection/websocket?format=protobuf" : "/ws";
  }

  /** Returns the messages that subscribe a client, as opcode and content. */
  List<byte[]> subscribeFrames() {
    List<byte[]> frames = new ArrayList<>();
    switch (method) {
      case SLUICE, SLUICE_ALONE ->
          frames.add(text("{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"" + TOPIC + "\"}"));
      case CENTRIFUGO -> {
        // Command{id: 1, connect: {}} and Command{id: 2, subscribe: {channel, delta: "fossil"}}.
        frames.add(new byte[] {2, 4, 8, 1, 0x22, 0});
        byte[] delta = "fossil".getBytes(StandardCharsets.US_ASCII);
        ByteBuffer subscribe = ByteBuffer.allocate(17);
        subscribe.put(new byte[] {2, 15, 8, 2, 0x2A, 11, 0x0A, 1, 't', 0x62, 6}).put(delta);
        frames.add(subscribe.array());
      }
      default -> {
        // A client of ws receives everything.
      }
    }
    return frames;
  }

  private static byte[] text(String text) {
    return ("\1" + text).getBytes(StandardCharsets.UTF_8);
  }

  double cpuSeconds() {
    return ProcessTime.cpuSeconds(process.pid());
  }

  /** Returns the memory of the process outside of a Java heap, and live objects in that heap. */
  long memoryBytes() throws Exception {
    long resident =
        Files.readAllLines(Path.of("/proc", "" + process.pid(), "status")).stream()
            .filter(line -> line.startsWith("VmRSS"))
            .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
            .sum();
    return publisher == null ? resident : resident + liveBytes();
  }

  private long liveBytes() throws Exception {
    Process histogram =
        new ProcessBuilder(
                JAVA.resolveSibling("jcmd").toString(), "" + process.pid(), "GC.class_histogram")
            .start();
    String[] lines = new String(histogram.getInputStream().readAllBytes()).strip().split("\n");
    return Long.parseLong(lines[lines.length - 1].strip().split("\\s+")[2]);
  }

  @Override
  public void close() throws JMSException {
    if (publisher != null) {
      publisher.close();
    }
    process.destroyForcibly().onExit().join();
  }
}
