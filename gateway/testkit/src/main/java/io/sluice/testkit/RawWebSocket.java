package io.sluice.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import javax.net.SocketFactory;
import javax.net.ssl.SSLContext;

/**
 * WebSocket client on a plain socket, which can send arbitrary bytes. Confined to one thread.
 * Network failures are thrown unchecked.
 *
 * <pre>
 * try (RawWebSocket client = RawWebSocket.to("localhost", port, "/ws").open()) {
 *   client.subscribe(1, "stocks.7");
 *   JsonNode message = client.await("message");
 * }
 * </pre>
 */
public final class RawWebSocket implements EchoConnection {
  /** Key of the handshake, from the example of RFC 6455. */
  public static final String KEY = "dGhlIHNhbXBsZSBub25jZQ==";

  /** Accept header for {@link #KEY} according to RFC 6455. */
  public static final String ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

  private static final ObjectMapper JSON = new ObjectMapper();

  /** Skipped frames that a failed {@link #await} reports. */
  private static final int MAX_SKIPPED = 5;

  private static final byte[] DEFLATE_TAIL = {0, 0, -1, -1};

  /** Builder of a handshake request. */
  public static final class Request {
    private final String host;
    private final int port;
    private final Map<String, List<String>> headers = new LinkedHashMap<>();
    private final ByteArrayOutputStream firstBytes = new ByteArrayOutputStream();
    private byte[] preface = {};
    private String from;
    private String requestLine;
    private Duration timeout = Duration.ofMinutes(2);
    private SocketFactory sockets = SocketFactory.getDefault();
    private int receiveBuffer;
    private boolean mute;
    private UnaryOperator<InputStream> reading = UnaryOperator.identity();

    private Request(String host, int port, String path) {
      this.host = host;
      this.port = port;
      this.requestLine = "GET " + path + " HTTP/1.1";
      set("Host", host + ":" + port);
      set("Upgrade", "websocket");
      set("Connection", "Upgrade");
      set("Sec-WebSocket-Version", "13");
      set("Sec-WebSocket-Key", KEY);
    }

    /**
     * Requests a stream instead of a WebSocket: docs/PROTOCOL.md, section 10. Pings are then not
     * answered.
     *
     * @param query query of the URL, such as {@code ?protocol=sluice.v1.bin}
     */
    public Request post(String query, byte[] body) {
      mute = true;
      firstBytes.reset();
      return requestLine("POST /stream" + query + " HTTP/1.1")
          .without("Upgrade")
          .without("Connection")
          .without("Sec-WebSocket-Version")
          .without("Sec-WebSocket-Key")
          .set("Content-Type", "text/plain")
          .set("Content-Length", "" + body.length)
          .firstBytes(body);
    }

    /** Replaces the request line {@code GET path HTTP/1.1}. */
    public Request requestLine(String line) {
      requestLine = line;
      return this;
    }

    /** Replaces the header lines of a name. */
    public Request set(String name, String value) {
      headers.put(name, new ArrayList<>(List.of(value)));
      return this;
    }

    /** Adds a header line. */
    public Request add(String name, String value) {
      headers.computeIfAbsent(name, n -> new ArrayList<>()).add(value);
      return this;
    }

    public Request without(String name) {
      headers.remove(name);
      return this;
    }

    public Request subprotocols(String... names) {
      return set("Sec-WebSocket-Protocol", String.join(", ", names));
    }

    /** Offers permessage-deflate. */
    public Request deflate() {
      return set("Sec-WebSocket-Extensions", "permessage-deflate; client_max_window_bits");
    }

    /** Appends bytes to the handshake, in the same write. */
    public Request firstBytes(byte[] bytes) {
      firstBytes.writeBytes(bytes);
      return this;
    }

    /** Sends bytes before the handshake, in a separate write. */
    public Request preface(byte[] bytes) {
      preface = bytes;
      return this;
    }

    /** Sets the local address. */
    public Request from(String address) {
      from = address;
      return this;
    }

    /** Sets the read timeout; default: two minutes. */
    public Request timeout(Duration limit) {
      timeout = limit;
      return this;
    }

    /** Connects by TLS. */
    public Request tls(SSLContext trust) {
      sockets = trust.getSocketFactory();
      return this;
    }

    /** Sets a small kernel receive buffer, so that the client lags as soon as it stops reading. */
    public Request receiveBuffer(int bytes) {
      receiveBuffer = bytes;
      return this;
    }

    /** Reads the socket through another stream, which may delay bytes. */
    public Request reading(UnaryOperator<InputStream> through) {
      reading = through;
      return this;
    }

    /** Sends the handshake and reads the response, which must be 101, or 200 for a stream. */
    public RawWebSocket open() {
      RawWebSocket client = attempt();
      if (client.status() != (mute ? 200 : 101)) {
        client.close();
        throw new Ended("the handshake was answered with " + client.status() + " " + client.body());
      }
      return client;
    }

    /** Sends the handshake and reads any response. */
    public RawWebSocket attempt() {
      try {
        Socket socket = sockets.createSocket();
        socket.setTcpNoDelay(true);
        if (receiveBuffer > 0) {
          socket.setReceiveBufferSize(receiveBuffer);
        }
        socket.setSoTimeout((int) timeout.toMillis());
        if (from != null) {
          socket.bind(new InetSocketAddress(from, 0));
        }
        socket.connect(new InetSocketAddress(host, port), (int) timeout.toMillis());
        socket.getOutputStream().write(preface);
        socket.getOutputStream().write(bytes());
        return new RawWebSocket(socket, timeout, mute, reading);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private byte[] bytes() {
      StringBuilder text = new StringBuilder(requestLine).append("\r\n");
      headers.forEach((name, values) -> values.forEach(v -> text.append(name + ": " + v + "\r\n")));
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      all.writeBytes(text.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
      all.writeBytes(firstBytes.toByteArray());
      return all.toByteArray();
    }
  }

  private final Socket socket;
  private final Duration timeout;
  private final boolean mute;
  private final InputStream in;
  private final Map<String, String> headers = new LinkedHashMap<>();
  private final int status;
  private final MessageInflater inflater;

  private RawWebSocket(
      Socket socket, Duration timeout, boolean mute, UnaryOperator<InputStream> reading)
      throws IOException {
    this.socket = socket;
    this.timeout = timeout;
    this.mute = mute;
    this.in = new BufferedInputStream(reading.apply(socket.getInputStream()));
    this.status = Integer.parseInt(readLine().split(" ")[1]);
    for (String line = readLine(); !line.isEmpty(); line = readLine()) {
      int colon = line.indexOf(':');
      headers.put(
          line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
    }
    this.inflater = new MessageInflater(extensions());
  }

  private String readLine() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new IOException("the connection ended inside the handshake's answer: " + line);
      }
      line.append((char) c);
    }
    return line.toString().stripTrailing();
  }

  public static Request to(String host, int port, String path) {
    return new Request(host, port, path);
  }

  /** Returns the status of the handshake response. */
  public int status() {
    return status;
  }

  /** The server has refused or closed the connection. */
  public static final class Ended extends AssertionError {
    private static final long serialVersionUID = 1L;

    private Ended(String message) {
      super(message);
    }
  }

  /** Returns a header of the handshake response, or null. */
  public String header(String name) {
    return headers.get(name.toLowerCase(Locale.ROOT));
  }

  /** Returns the body of a rejection. */
  public String body() {
    try {
      int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
      return new String(in.readNBytes(length), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String extensions() {
    return header("Sec-WebSocket-Extensions");
  }

  @Override
  public void send(byte[] bytes) {
    try {
      socket.getOutputStream().write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends frames in one write. */
  public void send(ClientFrame... frames) {
    send(ClientFrame.join(frames));
  }

  /** Sends each byte in a separate write. */
  public void sendByteByByte(byte[] bytes) {
    for (byte single : bytes) {
      send(new byte[] {single});
    }
  }

  public void text(String payload) {
    send(ClientFrame.text(payload));
  }

  public void binary(byte[] payload) {
    send(ClientFrame.binary(payload));
  }

  public void ping(String payload) {
    send(ClientFrame.ping(payload));
  }

  /** Sends a close frame; {@link #awaitClose} reads the answer. */
  public void sendClose(int code, String reason) {
    send(ClientFrame.close(code, reason));
  }

  @Override
  public ServerFrame readFrame() {
    try {
      return ServerFrame.read(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the next message, assembled and decompressed; answers pings before and within it. */
  public ServerFrame readMessage() {
    return inflater.inflate(ServerFrame.assemble(this::readDataFrame));
  }

  /** Returns a data frame with its content decompressed; frames must be passed in order. */
  public ServerFrame inflate(ServerFrame frame) {
    return inflater.inflate(frame);
  }

  private ServerFrame readDataFrame() {
    while (true) {
      ServerFrame frame = readFrame();
      if (frame == null) {
        throw new Ended("the connection ended without a close frame");
      }
      switch (frame.opcode()) {
        case ClientFrame.PING -> pong(frame);
        case ClientFrame.PONG -> {}
        case ClientFrame.CLOSE ->
            throw new Ended("closed with " + frame.closeCode() + " " + frame.closeReason());
        default -> {
          return frame;
        }
      }
    }
  }

  private void pong(ServerFrame ping) {
    if (!mute) {
      send(ClientFrame.of(ClientFrame.PONG, ping.payload()));
    }
  }

  /** Returns the decompressed content of a message with RSV1 that refers to no other one. */
  public static byte[] inflate(byte[] compressed) {
    Inflater inflater = new Inflater(true);
    try {
      ByteArrayOutputStream content = new ByteArrayOutputStream();
      byte[] chunk = new byte[8192];
      for (byte[] part : List.of(compressed, DEFLATE_TAIL)) {
        inflater.setInput(part);
        for (int n = inflater.inflate(chunk); n > 0; n = inflater.inflate(chunk)) {
          content.write(chunk, 0, n);
        }
      }
      return content.toByteArray();
    } catch (DataFormatException e) {
      throw new AssertionError("the server's message does not inflate", e);
    } finally {
      inflater.end();
    }
  }

  /** Returns the next message, which must be text. */
  public String readText() {
    ServerFrame message = readMessage();
    if (message.opcode() != ClientFrame.TEXT) {
      throw new AssertionError("expected text, not opcode " + message.opcode());
    }
    return message.text();
  }

  /** Returns the next message other than live and caught-up, which must be binary. */
  public byte[] readBinary() {
    ServerFrame message = readMessage();
    while (message.opcode() == ClientFrame.TEXT && isBrokerState(message.text())) {
      message = readMessage();
    }
    if (message.opcode() != ClientFrame.BINARY) {
      throw new AssertionError("expected binary, not " + message.text());
    }
    return message.payload();
  }

  // These frames may arrive at any time.
  private static boolean isBrokerState(String json) {
    String type = parse(json).path("type").asText();
    return type.equals("live") || type.equals("caught-up");
  }

  /** Returns the next message, which must be JSON. */
  public JsonNode readJson() {
    try {
      return JSON.readTree(readText());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the next JSON frame of a type; skips other JSON frames and binary messages. */
  public JsonNode await(String type) {
    long end = System.nanoTime() + timeout.toNanos();
    Deque<String> skipped = new ArrayDeque<>();
    while (System.nanoTime() < end) {
      ServerFrame message = readMessage(type, skipped);
      if (message.opcode() == ClientFrame.TEXT) {
        JsonNode frame = parse(message.text());
        if (frame.path("type").asText().equals(type)) {
          return frame;
        }
        skipped.add(message.text());
        if (skipped.size() > MAX_SKIPPED) {
          skipped.remove();
        }
      }
    }
    throw new AssertionError(
        "no frame of type " + type + " within " + timeout + ", but " + skipped);
  }

  private ServerFrame readMessage(String awaited, Deque<String> skipped) {
    try {
      return readMessage();
    } catch (UncheckedIOException | AssertionError e) {
      if (!skipped.isEmpty()) {
        e.addSuppressed(
            new IllegalStateException("frames before that, not " + awaited + ": " + skipped));
      }
      throw e;
    }
  }

  /** Returns the payloads of the next messages. */
  public List<String> payloads(int count) {
    List<String> payloads = new ArrayList<>();
    while (payloads.size() < count) {
      payloads.add(await("message").get("payload").asText());
    }
    return payloads;
  }

  /** Parses a frame. */
  public static JsonNode parse(String json) {
    try {
      return JSON.readTree(json);
    } catch (IOException e) {
      throw new UncheckedIOException("not JSON: " + json, e);
    }
  }

  /** Subscribes and waits for the answer, which must be {@code subscribed}. */
  public JsonNode subscribe(int ref, String topic) {
    text(
        JSON.createObjectNode()
            .put("type", "subscribe")
            .put("ref", ref)
            .put("topic", topic)
            .toString());
    return await("subscribed");
  }

  /** Publishes text and waits for the answer, which must be {@code published}. */
  public JsonNode publish(int ref, String topic, String payload) {
    text(
        JSON.createObjectNode()
            .put("type", "publish")
            .put("ref", ref)
            .put("topic", topic)
            .put("payload", payload)
            .toString());
    return await("published");
  }

  /**
   * Reads until the server's close frame and returns its code: 1005 if it has none, 1006 if the
   * connection ended without a close frame.
   */
  public int awaitClose() {
    long end = System.nanoTime() + timeout.toNanos();
    while (System.nanoTime() < end) {
      ServerFrame frame = readFrame();
      if (frame == null) {
        return 1006;
      }
      if (frame.opcode() == ClientFrame.CLOSE) {
        return frame.closeCode();
      }
    }
    throw new AssertionError("no close frame within " + timeout);
  }

  /** Closes the client's direction of the connection without a close frame. */
  public void endOutput() {
    try {
      socket.shutdownOutput();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Resets the connection, as a crashed machine does. */
  public void reset() {
    try {
      socket.setSoLinger(true, 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    close();
  }

  /** Closes the connection without a close frame. */
  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
