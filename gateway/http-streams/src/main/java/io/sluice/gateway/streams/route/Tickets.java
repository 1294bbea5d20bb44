package io.sluice.gateway.streams.route;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.http.ProtocolMessages;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Issuer of one-time tickets. A ticket contains the token of its request, sealed with a key of the
 * cluster, so that every node can redeem it and checks the token again. For any thread.
 *
 * <p>Without a secret of the cluster, only the issuing node can redeem a ticket. A node that
 * redeems one notifies the others. Before they have received this, a second use succeeds there.
 */
public final class Tickets implements ProtocolMessages {
  /** Time for which a ticket is valid. */
  public static final Duration LIFETIME = Duration.ofSeconds(30);

  /** First byte of the messages to other nodes. */
  static final int CHANNEL = 5;

  /** Maximum length of a token in a ticket, which is part of a URL. */
  public static final int MAX_TOKEN_LENGTH = 4096;

  /** Used tickets that are remembered until they expire. */
  private static final int MAX_USED = 100_000;

  private static final byte[] PURPOSE = "sluice stream ticket".getBytes(UTF_8);
  private static final String CIPHER = "AES/GCM/NoPadding";
  private static final int IV_BYTES = 12;
  private static final int TAG_BITS = 128;

  private final SecretKeySpec key;
  private final LongSupplier clock;
  private final SecureRandom random = new SecureRandom();

  /** Expiry of used tickets by their initialization vector. */
  private final Map<ByteBuffer, Long> used = new ConcurrentHashMap<>();

  private volatile BiConsumer<Object, byte[]> link = (node, message) -> {};
  private volatile List<?> others = List.of();

  /**
   * @param secret shared by the nodes of the cluster; empty for none
   * @param clock Unix milliseconds
   */
  public Tickets(String secret, LongSupplier clock) {
    this.clock = clock;
    this.key = new SecretKeySpec(secret.isEmpty() ? bytes(32) : derived(secret), "AES");
  }

  private byte[] bytes(int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return bytes;
  }

  private static byte[] derived(String secret) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
      return mac.doFinal(PURPOSE);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has HmacSHA256", e);
    }
  }

  @Override
  public int channel() {
    return CHANNEL;
  }

  @Override
  public void join(BiConsumer<Object, byte[]> sender) {
    link = sender;
  }

  @Override
  public void onView(List<?> view) {
    others = List.copyOf(view);
  }

  /** Returns the text of a new ticket, which a URL can contain. */
  public String issue(Ticket ticket) {
    byte[] iv = bytes(IV_BYTES);
    byte[] sealed = crypt(Cipher.ENCRYPT_MODE, iv, content(ticket));
    byte[] text = ByteBuffer.allocate(IV_BYTES + sealed.length).put(iv).put(sealed).array();
    return Base64.getUrlEncoder().withoutPadding().encodeToString(text);
  }

  private byte[] content(Ticket ticket) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeLong(clock.getAsLong() + LIFETIME.toMillis());
      out.writeUTF(ticket.credential().value());
      for (String topic : ticket.topics()) {
        out.writeUTF(topic);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("a buffer in memory cannot be written", e);
    }
    return bytes.toByteArray();
  }

  /** Returns null if the bytes are not sealed with the key. */
  private byte[] crypt(int mode, byte[] iv, byte[] bytes) {
    try {
      Cipher cipher = Cipher.getInstance(CIPHER);
      cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, iv));
      return cipher.doFinal(bytes);
    } catch (GeneralSecurityException forged) {
      if (mode == Cipher.ENCRYPT_MODE) {
        throw new IllegalStateException("every JDK has AES with GCM", forged);
      }
      return null;
    }
  }

  /** Returns a valid ticket, which is used by this call; null for any other text. */
  public Ticket redeem(String text) {
    byte[] bytes = decoded(text);
    if (bytes.length <= IV_BYTES) {
      return null;
    }
    byte[] iv = Arrays.copyOf(bytes, IV_BYTES);
    byte[] content =
        crypt(Cipher.DECRYPT_MODE, iv, Arrays.copyOfRange(bytes, IV_BYTES, bytes.length));
    return content == null ? null : redeem(iv, content);
  }

  private static byte[] decoded(String text) {
    try {
      return Base64.getUrlDecoder().decode(text);
    } catch (IllegalArgumentException malformed) {
      return new byte[0];
    }
  }

  private Ticket redeem(byte[] iv, byte[] content) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(content))) {
      long expiresMs = in.readLong();
      if (expiresMs <= clock.getAsLong() || !use(iv, expiresMs)) {
        return null;
      }
      byte[] message = message(iv, expiresMs);
      others.forEach(node -> link.accept(node, message));
      Credential.Token token = new Credential.Token(in.readUTF());
      List<String> topics = new ArrayList<>();
      while (in.available() > 0) {
        topics.add(in.readUTF());
      }
      return new Ticket(token, topics);
    } catch (IOException e) {
      throw new UncheckedIOException("a sealed ticket is incomplete", e);
    }
  }

  /** Marks a ticket as used; returns false if it was before, or too many others were. */
  private boolean use(byte[] iv, long expiresMs) {
    if (used.size() >= MAX_USED) {
      long nowMs = clock.getAsLong();
      used.values().removeIf(until -> until <= nowMs);
    }
    return used.size() < MAX_USED && used.putIfAbsent(ByteBuffer.wrap(iv), expiresMs) == null;
  }

  private static byte[] message(byte[] iv, long expiresMs) {
    ByteBuffer message = ByteBuffer.allocate(1 + IV_BYTES + Long.BYTES);
    return message.put((byte) CHANNEL).put(iv).putLong(expiresMs).array();
  }

  /** Handles a message of another node, which has redeemed a ticket. Ignores any other one. */
  @Override
  public void onMessage(Object from, byte[] message) {
    if (message.length == 1 + IV_BYTES + Long.BYTES) {
      ByteBuffer read = ByteBuffer.wrap(message, 1, message.length - 1);
      byte[] iv = new byte[IV_BYTES];
      read.get(iv);
      use(iv, Math.min(read.getLong(), clock.getAsLong() + LIFETIME.toMillis()));
    }
  }
}
