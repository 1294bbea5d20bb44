using System;
using System.Diagnostics;
using System.Threading.Tasks;

namespace Sluice.Internal
{
    /// <summary>
    /// Moves the client to another node after `draining` or `redirect`. It closes the connection when all
    /// messages are settled and all calls are answered; the next connection resumes by position.
    /// </summary>
    internal sealed class Mover
    {
        /// <summary>Time for answers and handlers after a redirect, which has no deadline.</summary>
        private static readonly TimeSpan RedirectTime = TimeSpan.FromSeconds(10);

        /// <summary>Part of the time for answers only.</summary>
        private static readonly TimeSpan AnswerTime = TimeSpan.FromSeconds(1);
        private static readonly TimeSpan Check = TimeSpan.FromMilliseconds(20);
        private static readonly TimeSpan Margin = TimeSpan.FromMilliseconds(500);

        private readonly SluiceClient _client;

        internal Mover(SluiceClient client)
        {
            _client = client;
        }

        /// <summary>Starts a move, if the address is absent or usable.</summary>
        internal void OnFrame(Connection connection, Frame frame, Action<string> redirectTo)
        {
            string url = Target(connection, frame);
            if (frame.Kind == "draining")
            {
                double left = frame.Number("deadline") - connection.NodeTime - Margin.TotalMilliseconds;
                TimeSpan limit = TimeSpan.FromMilliseconds(Math.Max(0, Math.Min(left, int.MaxValue)));
                _client.Start(() => MoveAsync(connection, url, limit, redirectTo));
            }
            else if (url != null)
            {
                _client.Start(() => MoveAsync(connection, url, RedirectTime, redirectTo));
            }
        }

        /// <summary>Returns the address of the frame; null if it has none or the client must not follow it.</summary>
        private string Target(Connection connection, Frame frame)
        {
            string url = frame.OptionalText("url");
            // A node names an address in draining whether or not the client follows redirects.
            if (url == null || !_client.Options.FollowRedirects)
            {
                return null;
            }
            if (!IsUsable(connection.Url, url))
            {
                _client.Report(new SluiceException("bad-answer", "url of " + frame.Kind + " is not usable: " + url));
                return null;
            }
            return url;
        }

        /// <summary>Returns whether redirects are enabled and the address of one is secure enough.</summary>
        internal bool IsUsable(string current, string url)
        {
            return _client.Options.FollowRedirects && Addresses.IsSafeRedirect(current, url);
        }

        private async Task MoveAsync(Connection connection, string url, TimeSpan limit, Action<string> redirectTo)
        {
            _client.Notify(ConnectionState.Draining);
            await _client.Dispatcher.PauseAsync();
            Stopwatch since = Stopwatch.StartNew();
            // Handlers may publish before they settle their messages.
            while (since.Elapsed < limit - AnswerTime && _client.Dispatcher.HasPending)
            {
                await Task.Delay(Check, _client.Lifetime);
            }
            // Without the pause, some publish of a busy client would always be unanswered.
            _client.PauseCalls(connection);
            while (since.Elapsed < limit && !(connection.IsIdle && !_client.Dispatcher.HasPending))
            {
                await Task.Delay(Check, _client.Lifetime);
            }
            if (connection != _client.Connection || connection.IsMoved)
            {
                return;
            }
            connection.IsMoved = true;
            if (url != null)
            {
                redirectTo(url);
            }
            await connection.CloseAsync();
            connection.End();
        }
    }
}
