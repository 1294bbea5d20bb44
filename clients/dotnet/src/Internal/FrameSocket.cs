using System;
using System.Diagnostics;
using System.IO;
using System.Net.WebSockets;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Sluice.Internal
{
    /// <summary>WebSocket for text frames; it throws ClosedException after its end.</summary>
    internal sealed class FrameSocket
    {
        private const string Subprotocol = "sluice.v1.json";
        private const int NoCode = 1005;
        private const int BufferBytes = 16 * 1024;
        private static readonly TimeSpan CloseTimeout = TimeSpan.FromSeconds(1);
        private static readonly Encoding Utf8 = new UTF8Encoding(false, true);

        private readonly ClientWebSocket _socket;
        private readonly int _maxBytes;
        private readonly byte[] _buffer = new byte[BufferBytes];
        private readonly MemoryStream _fragments = new MemoryStream();
        private readonly SemaphoreSlim _sending = new SemaphoreSlim(1);
        private readonly TaskCompletionSource<bool> _ended = Loop.NewSource<bool>();
        private readonly Stopwatch _sinceRead = new Stopwatch();
        private volatile string _abortReason;

        /// <summary>Whether a close frame is being answered, which disposes of the socket.</summary>
        private volatile bool _isAnswering;

        private FrameSocket(ClientWebSocket socket, int maxBytes)
        {
            _socket = socket;
            _maxBytes = maxBytes;
        }

        /// <summary>Time without data while the socket is read.</summary>
        internal TimeSpan Idle => _sinceRead.Elapsed;

        internal static async Task<FrameSocket> OpenAsync(string url, SluiceOptions options, CancellationToken token)
        {
            ClientWebSocket socket = new ClientWebSocket();
            try
            {
                socket.Options.AddSubProtocol(Subprotocol);
                RetryAfter.Prepare(socket.Options);
                options.ConfigureSocket?.Invoke(socket.Options);
                await socket.ConnectAsync(new Uri(url), token);
                return new FrameSocket(socket, options.MaxFrameBytes);
            }
            catch (Exception e)
            {
                // ClientWebSocket throws various exceptions, and the caller retries after each.
                TimeSpan wait = RetryAfter.Of(socket, e);
                socket.Dispose();
                token.ThrowIfCancellationRequested();
                throw new ClosedException(ClosedException.Abnormal, Describe(e), e) { RetryAfter = wait };
            }
        }

        private static string Describe(Exception e)
        {
            return e.InnerException == null ? e.Message : e.Message + ": " + e.InnerException.Message;
        }

        /// <summary>Returns the next text.</summary>
        internal async Task<string> ReceiveAsync()
        {
            try
            {
                return await ReadTextAsync();
            }
            catch (Exception e)
            {
                _sinceRead.Reset();
                string reason = _abortReason ?? Describe(e);
                Abort("the connection has ended");
                if (e is ClosedException)
                {
                    throw;
                }
                throw new ClosedException(ClosedException.Abnormal, reason, e);
            }
        }

        private async Task<string> ReadTextAsync()
        {
            _fragments.SetLength(0);
            while (true)
            {
                // A socket that is not read because handlers are slow is not idle.
                _sinceRead.Restart();
                WebSocketReceiveResult part =
                    await _socket.ReceiveAsync(new ArraySegment<byte>(_buffer), CancellationToken.None);
                _sinceRead.Reset();
                if (part.MessageType == WebSocketMessageType.Close)
                {
                    throw Answer(part);
                }
                Require(part.MessageType == WebSocketMessageType.Text, "a frame is binary");
                Require(_fragments.Length + part.Count <= _maxBytes, "frame exceeds MaxFrameBytes (" + _maxBytes + ")");
                if (part.EndOfMessage && _fragments.Length == 0)
                {
                    return Utf8.GetString(_buffer, 0, part.Count);
                }
                _fragments.Write(_buffer, 0, part.Count);
                if (part.EndOfMessage)
                {
                    return Utf8.GetString(_fragments.GetBuffer(), 0, (int)_fragments.Length);
                }
            }
        }

        /// <summary>Starts to answer a close frame, and returns the end that it means.</summary>
        private ClosedException Answer(WebSocketReceiveResult close)
        {
            _ended.TrySetResult(true);
            _isAnswering = true;
            Loop.Ignore(AnswerAsync());
            int code = close.CloseStatus == null ? NoCode : (int)close.CloseStatus.Value;
            return new ClosedException(code, close.CloseStatusDescription ?? "");
        }

        private async Task AnswerAsync()
        {
            // Mono waits within it until the node closes the TCP connection.
            await Task.WhenAny(CloseOutputAsync(), Task.Delay(CloseTimeout));
            Dispose();
        }

        private static void Require(bool condition, string message)
        {
            if (!condition)
            {
                throw new ClosedException(ClosedException.Abnormal, message);
            }
        }

        /// <summary>
        /// Sends a text. A text whose turn has not come when the token is cancelled is not sent; another is
        /// sent completely, because a cut frame would end the connection.
        /// </summary>
        internal async Task SendAsync(string text, CancellationToken token)
        {
            byte[] bytes = Encoding.UTF8.GetBytes(text);
            await _sending.WaitAsync(token);
            Task writing = WriteAsync(bytes);
            Loop.Ignore(writing);
            await Loop.WithCancellation(writing, token);
        }

        private async Task WriteAsync(byte[] bytes)
        {
            try
            {
                await _socket.SendAsync(
                    new ArraySegment<byte>(bytes), WebSocketMessageType.Text, true, CancellationToken.None);
            }
            catch (Exception e)
            {
                throw new ClosedException(ClosedException.Abnormal, _abortReason ?? Describe(e), e);
            }
            finally
            {
                _sending.Release();
            }
        }

        /// <summary>Sends a close frame, and waits shortly until the other end has closed.</summary>
        internal async Task CloseAsync()
        {
            await CloseOutputAsync();
            await Task.WhenAny(_ended.Task, Task.Delay(CloseTimeout));
        }

        private async Task CloseOutputAsync()
        {
            if (!await _sending.WaitAsync(CloseTimeout))
            {
                return;
            }
            try
            {
                using (CancellationTokenSource limit = new CancellationTokenSource(CloseTimeout))
                {
                    await _socket.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, "", limit.Token);
                }
            }
            catch (Exception)
            {
                // The connection has ended, or a close frame was sent before.
                _ended.TrySetResult(true);
            }
            finally
            {
                _sending.Release();
            }
        }

        /// <summary>Ends the connection without a close frame; any thread may call it.</summary>
        internal void Abort(string reason)
        {
            _abortReason = _abortReason ?? reason;
            if (!_isAnswering)
            {
                Dispose();
            }
        }

        private void Dispose()
        {
            _ended.TrySetResult(true);
            try
            {
                _socket.Abort();
                _socket.Dispose();
            }
            catch (Exception)
            {
                // It has ended.
            }
        }
    }
}
