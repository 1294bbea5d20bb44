using System;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Text;
using System.Threading.Tasks;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Sluice.Tests
{
    /// <summary>WebSocket server whose frames a test sends and receives one by one.</summary>
    internal sealed class ScriptedNode : IDisposable
    {
        internal const int TimeoutMs = 20000;
        private readonly TcpListener _listener = new TcpListener(IPAddress.Loopback, 0);

        internal ScriptedNode()
        {
            _listener.Start();
        }

        internal string Url => "ws://127.0.0.1:" + ((IPEndPoint)_listener.LocalEndpoint).Port + "/ws";

        internal static JObject Hello => JObject.Parse(
            "{\"type\":\"hello\",\"node\":\"n\",\"time\":1000,\"broker\":\"up\",\"pingInterval\":25000,"
                + "\"limits\":{\"overlap\":16},\"features\":[\"publish-id\",\"selectors\"]}");

        /// <summary>Returns the next connection.</summary>
        internal Session Accept()
        {
            Task<TcpClient> accepting = _listener.AcceptTcpClientAsync();
            return accepting.Wait(TimeoutMs)
                ? new Session(accepting.Result)
                : throw new TimeoutException("no connection has arrived");
        }

        /// <summary>Returns the next connection after its hello.</summary>
        internal Session Welcome(JObject hello = null)
        {
            Session session = Accept();
            session.Receive("connect");
            session.Send(hello ?? Hello);
            return session;
        }

        public void Dispose()
        {
            _listener.Stop();
        }
    }

    /// <summary>Connection of a client.</summary>
    internal sealed class Session
    {
        private const string Guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
        private const int TextFrame = 1;
        private const int CloseFrame = 8;
        private readonly NetworkStream _stream;

        internal Session(TcpClient client)
        {
            client.ReceiveTimeout = ScriptedNode.TimeoutMs;
            _stream = client.GetStream();
            Handshake();
        }

        private void Handshake()
        {
            string key = null;
            for (string line = ReadLine(); line.Length > 0; line = ReadLine())
            {
                if (line.StartsWith("Sec-WebSocket-Key: ", StringComparison.OrdinalIgnoreCase))
                {
                    key = line.Substring(19).Trim();
                }
            }
            using (SHA1 sha = SHA1.Create())
            {
                string accept = Convert.ToBase64String(sha.ComputeHash(Encoding.ASCII.GetBytes(key + Guid)));
                Write(
                    Encoding.ASCII.GetBytes(
                        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            + "Sec-WebSocket-Protocol: sluice.v1.json\r\nSec-WebSocket-Accept: " + accept + "\r\n\r\n"));
            }
        }

        private string ReadLine()
        {
            StringBuilder line = new StringBuilder();
            for (int c = ReadByte(); c != '\n'; c = ReadByte())
            {
                line.Append((char)c);
            }
            return line.ToString().TrimEnd('\r');
        }

        private int ReadByte()
        {
            int value = _stream.ReadByte();
            return value >= 0 ? value : throw new EndOfStreamException("the client has closed the connection");
        }

        private void Write(byte[] bytes)
        {
            _stream.Write(bytes, 0, bytes.Length);
        }

        private void WriteFrame(int opcode, byte[] payload)
        {
            MemoryStream frame = new MemoryStream();
            frame.WriteByte((byte)(0x80 | opcode));
            if (payload.Length < 126)
            {
                frame.WriteByte((byte)payload.Length);
            }
            else
            {
                frame.WriteByte(126);
                frame.WriteByte((byte)(payload.Length >> 8));
                frame.WriteByte((byte)payload.Length);
            }
            frame.Write(payload, 0, payload.Length);
            Write(frame.ToArray());
        }

        internal void Send(JObject frame)
        {
            SendText(frame.ToString(Formatting.None));
        }

        internal void SendText(string text)
        {
            WriteFrame(TextFrame, Encoding.UTF8.GetBytes(text));
        }

        internal void Close(int code)
        {
            WriteFrame(CloseFrame, new[] { (byte)(code >> 8), (byte)code });
        }

        /// <summary>Ends the connection without a close frame.</summary>
        internal void Cut()
        {
            _stream.Close();
        }

        internal void Message(long offset)
        {
            Send(
                new JObject
                {
                    ["type"] = "message", ["topic"] = "a", ["offset"] = offset, ["id"] = offset.ToString("x16"),
                    ["time"] = 1, ["payload"] = offset.ToString()
                });
        }

        internal void Deliver(long reference, long tag, string payload)
        {
            Send(
                new JObject
                {
                    ["type"] = "delivery", ["ref"] = reference, ["tag"] = tag, ["id"] = tag.ToString("x16"),
                    ["time"] = 1, ["payload"] = payload
                });
        }

        internal void Answer(JObject call, string type)
        {
            Send(new JObject { ["type"] = type, ["ref"] = call["ref"] });
        }

        internal void Refuse(JObject call, string code)
        {
            Send(new JObject { ["type"] = "error", ["ref"] = call["ref"], ["code"] = code, ["message"] = "no" });
        }

        /// <summary>Returns the next frame, which must have one of the types; a close frame is "closed".</summary>
        internal JObject Receive(params string[] types)
        {
            JObject frame = Next();
            if (!types.Contains((string)frame["type"]))
            {
                throw new InvalidOperationException("expected " + string.Join(" or ", types) + ", not " + frame);
            }
            return frame;
        }

        private int ReadNumber(int bytes)
        {
            int number = 0;
            for (int i = 0; i < bytes; i++)
            {
                number = (number << 8) | ReadByte();
            }
            return number;
        }

        private byte[] ReadBytes(int count)
        {
            byte[] bytes = new byte[count];
            for (int read = 0; read < count;)
            {
                int part = _stream.Read(bytes, read, count - read);
                read += part > 0 ? part : throw new EndOfStreamException("the client has closed the connection");
            }
            return bytes;
        }

        private JObject Next()
        {
            int opcode = ReadByte() & 0x0F;
            int size = ReadByte() & 0x7F;
            size = size < 126 ? size : ReadNumber(size == 126 ? 2 : 8);
            byte[] mask = ReadBytes(4);
            byte[] payload = ReadBytes(size);
            for (int i = 0; i < size; i++)
            {
                payload[i] ^= mask[i % 4];
            }
            if (opcode == CloseFrame)
            {
                return new JObject { ["type"] = "closed", ["code"] = (payload[0] << 8) | payload[1] };
            }
            return JObject.Parse(Encoding.UTF8.GetString(payload));
        }

        /// <summary>Answers the next subscribe with these members, and returns it.</summary>
        internal JObject Subscribed(long offset, string members = "{\"time\":7}")
        {
            JObject subscribe = Receive("subscribe");
            JObject answer = JObject.Parse(members);
            answer["type"] = "subscribed";
            answer["ref"] = subscribe["ref"];
            answer["topic"] = subscribe["topic"];
            answer["epoch"] = "e";
            answer["offset"] = offset;
            Send(answer);
            return subscribe;
        }
    }
}
