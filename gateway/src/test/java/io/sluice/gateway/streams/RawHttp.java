package io.sluice.gateway.streams;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.util.Map;
import java.util.TreeMap;

/** HTTP connection that sends any bytes. One thread uses it. */
final class RawHttp implements AutoCloseable {
  private static final int TIMEOUT_MS = 60_000;

  private final Socket socket;
  private final BufferedReader in;

  private RawHttp(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new BufferedReader(new InputStreamReader(socket.getInputStream(), ISO_8859_1));
    socket.setSoTimeout(TIMEOUT_MS);
  }

  static RawHttp to(int port) throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(8 * 1024);
    socket.connect(new java.net.InetSocketAddress("127.0.0.1", port), TIMEOUT_MS);
    return new RawHttp(socket);
  }

  void write(String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(ISO_8859_1));
  }

  String readLine() throws IOException {
    return in.readLine();
  }

  /** Response with a length. */
  record Response(String status, Map<String, String> headers, String body) {}

  /** Reads a response that has its length in a header, which a 204 or 304 needs not. */
  Response readResponse() throws IOException {
    String status = readLine();
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (String line = readLine(); !line.isEmpty(); line = readLine()) {
      int colon = line.indexOf(':');
      headers.put(line.substring(0, colon), line.substring(colon + 1).strip());
    }
    char[] body = new char[Integer.parseInt(headers.getOrDefault("content-length", "0"))];
    int length = 0;
    for (int more = 0; length < body.length && more >= 0; length += Math.max(0, more)) {
      more = in.read(body, length, body.length - length);
    }
    if (length < body.length) {
      throw new EOFException(length + " of " + body.length + " characters");
    }
    return new Response(status, headers, new String(body));
  }

  /** Returns everything up to the end of the connection. */
  String readAll() throws IOException {
    StringBuilder all = new StringBuilder();
    try {
      for (int c = in.read(); c >= 0; c = in.read()) {
        all.append((char) c);
      }
    } catch (java.net.SocketException reset) {
      // with unread input
    }
    return all.toString();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
