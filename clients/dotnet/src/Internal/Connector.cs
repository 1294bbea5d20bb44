using System;
using System.Threading;
using System.Threading.Tasks;
using Newtonsoft.Json.Linq;

namespace Sluice.Internal
{
    /// <summary>
    /// Connects again and again, with backoff, redirects and new credentials, until the client is closed
    /// or a node forbids it: section 7 of the protocol.
    /// </summary>
    internal sealed class Connector
    {
        /// <summary>A connection that lasted this long resets the count of failures.</summary>
        private static readonly TimeSpan Stable = TimeSpan.FromSeconds(5);

        private readonly SluiceClient _client;
        private readonly SluiceOptions _options;
        private readonly Credentials _credentials;
        private readonly Mover _mover;
        private readonly Signal _retry = new Signal();
        private int _failures;
        private int _address;

        /// <summary>Address of a redirect for the next attempt.</summary>
        private string _target;

        /// <summary>Set from a redirect to the next hello.</summary>
        private bool _isRedirected;
        private bool _isTokenRenewed;

        internal Connector(SluiceClient client, SluiceOptions options)
        {
            _client = client;
            _options = options;
            _credentials = new Credentials(client, options.Token);
            _mover = new Mover(client);
        }

        /// <summary>Ends the wait for the next attempt.</summary>
        internal void RetryNow()
        {
            _retry.Notify();
        }

        internal async Task RunAsync()
        {
            while (!_client.IsClosed)
            {
                ConnectionEnd end = await ServeAsync();
                if (end == null)
                {
                    continue;
                }
                TimeSpan? wait = WaitAfter(end);
                if (wait == null || _client.IsClosed)
                {
                    return;
                }
                await Task.WhenAny(_retry.Next, Task.Delay(wait.Value, _client.Lifetime));
            }
        }

        private void RedirectTo(string url)
        {
            _target = url;
            _isRedirected = true;
        }

        /// <summary>Serves one connection; returns its end, or null after a redirect instead of a hello.</summary>
        private async Task<ConnectionEnd> ServeAsync()
        {
            string url = _target ?? _options.Urls[_address];
            _target = null;
            Connection connection = null;
            try
            {
                connection = await OpenAsync(url);
                if (connection == null)
                {
                    return null;
                }
                _isRedirected = _isTokenRenewed = false;
                _client.Start(connection.WatchAsync);
                _client.Start(() => _credentials.RefreshAsync(connection));
                await _client.OnOpenAsync(connection);
                while (true)
                {
                    await OnTextAsync(connection, await connection.ReceiveAsync());
                }
            }
            catch (ClosedException e)
            {
                int code = connection != null && connection.IsMoved ? CloseCodes.Draining : e.Code;
                TimeSpan uptime = connection?.Uptime ?? TimeSpan.Zero;
                return new ConnectionEnd(code, e.Message, url, uptime) { RetryAfter = e.RetryAfter };
            }
            finally
            {
                if (connection != null)
                {
                    _client.OnEnd(connection);
                }
            }
        }

        /// <summary>Processes a frame. An unreadable one does not end the connection, as it would follow again.</summary>
        private async Task OnTextAsync(Connection connection, string text)
        {
            Frame frame = null;
            try
            {
                frame = Frame.Parse(text);
                await OnFrameAsync(connection, frame);
            }
            catch (BadFrameException e)
            {
                _client.Report(SluiceException.BadAnswer(e));
                await _client.Dispatcher.OnUnreadableAsync(connection, frame, e);
            }
        }

        private async Task OnFrameAsync(Connection connection, Frame frame)
        {
            if (frame.Kind == "draining" || frame.Kind == "redirect")
            {
                _mover.OnFrame(connection, frame, RedirectTo);
            }
            else
            {
                await _client.OnFrameAsync(connection, frame);
            }
        }

        /// <summary>Opens a connection and awaits its hello; returns null after a redirect.</summary>
        private async Task<Connection> OpenAsync(string url)
        {
            using (CancellationTokenSource limit = CancellationTokenSource.CreateLinkedTokenSource(_client.Lifetime))
            {
                limit.CancelAfter(_options.ConnectTimeout);
                try
                {
                    return await OpenAsync(url, limit.Token);
                }
                catch (Exception e) when (limit.IsCancellationRequested && !(e is BadFrameException))
                {
                    string reason = "no hello within " + _options.ConnectTimeout.TotalSeconds + " s";
                    throw new ClosedException(ClosedException.Abnormal, reason, e);
                }
                catch (Exception e) when (e is BadFrameException || e is SluiceException)
                {
                    _client.Report(e as SluiceException ?? SluiceException.BadAnswer(e));
                    throw new ClosedException(ClosedException.Abnormal, e.Message, e);
                }
            }
        }

        private async Task<Connection> OpenAsync(string url, CancellationToken token)
        {
            Connection connection = await Connection.OpenAsync(url, _options, _client.Progress, token);
            bool isOpen = false;
            try
            {
                using (token.Register(() => connection.Abort("no hello arrived in time")))
                {
                    await connection.SendAsync(await ConnectFrameAsync(token));
                    while (!connection.HasHello && _target == null)
                    {
                        BeforeHello(connection, Frame.Parse(await connection.ReceiveAsync()));
                    }
                }
                isOpen = connection.HasHello;
                return isOpen ? connection : null;
            }
            finally
            {
                if (!isOpen)
                {
                    connection.End();
                }
            }
        }

        private async Task<JObject> ConnectFrameAsync(CancellationToken token)
        {
            JObject frame = new JObject { ["type"] = "connect", ["client"] = "sluice-dotnet/" + SluiceClient.Version };
            if (_credentials.Exist)
            {
                frame["token"] = await _credentials.NextAsync(token);
            }
            if (_options.FollowRedirects)
            {
                frame["redirect"] = true;
                if (_isRedirected)
                {
                    frame["redirected"] = true;
                }
            }
            return frame;
        }

        private void BeforeHello(Connection connection, Frame frame)
        {
            switch (frame.Kind)
            {
                case "hello":
                    connection.SetHello(frame);
                    break;
                case "redirect":
                    string url = frame.Text("url");
                    if (_isRedirected || !_mover.IsUsable(connection.Url, url))
                    {
                        throw new BadFrameException("redirect: url must be usable and the first, not " + url);
                    }
                    RedirectTo(url);
                    break;
                case "error":
                    _client.Report(Members.ErrorOf(frame));
                    break;
                default:
                    throw new BadFrameException(frame.Kind + " must follow hello");
            }
        }

        /// <summary>Returns the wait after the end of a connection; null if there is no next one.</summary>
        internal TimeSpan? WaitAfter(ConnectionEnd end)
        {
            bool isTokenRefused = end.Code == CloseCodes.Unauthorized || end.Code == CloseCodes.Expired;
            if (isTokenRefused && _credentials.Exist && !_isTokenRenewed)
            {
                _isTokenRenewed = true;
                _client.Notify(ConnectionState.Connecting);
                return TimeSpan.Zero;
            }
            _client.LastFailure = end.Reason;
            AfterClose reaction = CloseCodes.After(end.Code);
            if (reaction == AfterClose.DontRetry)
            {
                _client.Refuse(new SluiceException("refused", "the node closed the connection with " + end.Reason));
                return null;
            }
            _client.Notify(ConnectionState.Connecting);
            bool isStable = end.Uptime >= Stable;
            _failures = isStable ? 0 : _failures + 1;
            _address = isStable ? 0 : (_address + 1) % _options.Urls.Count;
            // Prevents a reconnect loop to a node that drains for a long time.
            if (reaction == AfterClose.RetryElsewhere && isStable)
            {
                return TimeSpan.Zero;
            }
            // In addition: the clients that a node has refused together must not return together.
            bool isSame = _target == null && _options.Urls[_address] == end.Url;
            return _options.Backoff(_failures) + (isSame ? end.RetryAfter : TimeSpan.Zero);
        }
    }
}
