package io.sluice.gateway.transport;

import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Echoes on a port of the loopback interface, a thread a connection, through the frame codec. */
final class SocketEchoServer implements AutoCloseable {
  private static final Handshake HANDSHAKE = new Handshake(List.of(), List.of("*"), true);

  private final ServerSocket listener;
  private final FrameDecoder.Limits limits;

  SocketEchoServer(int port, FrameDecoder.Limits limits) throws IOException {
    this.listener = new ServerSocket(port, 100, InetAddress.getLoopbackAddress());
    this.limits = limits;
    start("echo-accept", this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  private static void start(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        start("echo-connection", () -> serve(socket));
      } catch (IOException e) {
        return; // closed
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      socket.setTcpNoDelay(true);
      InputStream in = new BufferedInputStream(socket.getInputStream());
      Handshake.Result result = handshake(in);
      if (result instanceof Handshake.Accepted accepted) {
        socket.getOutputStream().write(head("101 Switching Protocols", accepted.headers()));
        echo(in, socket.getOutputStream(), accepted.deflate());
        socket.shutdownOutput();
        in.transferTo(OutputStream.nullOutputStream());
      } else if (result instanceof Handshake.Refused refused) {
        socket.getOutputStream().write(head(refused.status() + " Refused", refused.headers()));
      }
    } catch (IOException e) {
      // The client has gone; nobody is left to tell.
    }
  }

  private static byte[] head(String status, Map<String, String> headers) {
    StringBuilder text = new StringBuilder("HTTP/1.1 " + status + "\r\n");
    headers.forEach((name, value) -> text.append(name + ": " + value + "\r\n"));
    return text.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII);
  }

  private static Handshake.Result handshake(InputStream in) throws IOException {
    String[] requestLine = readLine(in).split(" ");
    Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (String line = readLine(in); !line.isEmpty(); line = readLine(in)) {
      int colon = line.indexOf(':');
      String name = line.substring(0, colon).toLowerCase(Locale.ROOT);
      headers.computeIfAbsent(name, n -> new ArrayList<>()).add(line.substring(colon + 1).strip());
    }
    return HANDSHAKE.check(
        requestLine[0], requestLine[2], name -> headers.getOrDefault(name, List.of()));
  }

  private static String readLine(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new IOException("the client ended inside its handshake");
      }
      line.append((char) c);
    }
    return line.toString().stripTrailing();
  }

  private void echo(InputStream in, OutputStream out, boolean deflate) throws IOException {
    try (EchoSession session = new EchoSession(UnpooledByteBufAllocator.DEFAULT, limits, deflate)) {
      byte[] chunk = new byte[16 * 1024];
      int count = 0;
      while (!session.ended() && count >= 0) {
        count = in.read(chunk);
        if (count > 0) {
          session.receive(chunk, count);
          out.write(session.takeAnswer());
        }
      }
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
