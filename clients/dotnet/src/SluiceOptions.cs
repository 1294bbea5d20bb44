using System;
using System.Collections.Generic;
using System.Linq;
using System.Net.WebSockets;
using System.Threading;
using System.Threading.Tasks;
using Sluice.Internal;

namespace Sluice
{
    /// <summary>Settings of a client. Callbacks are called one after the other, on the thread pool.</summary>
    public sealed class SluiceOptions
    {
        private static readonly TimeSpan MaxDuration = TimeSpan.FromDays(1);

        /// <summary>Addresses such as "wss://example.com/ws", tried in their order.</summary>
        public IList<string> Urls { get; set; } = new List<string>();

        /// <summary>Supplier of a credential for each connection and each refresh; null for none.</summary>
        public Func<CancellationToken, Task<string>> Token { get; set; }

        /// <summary>Whether the client follows redirects of the node; the default is true.</summary>
        public bool FollowRedirects { get; set; } = true;

        /// <summary>Bound of the random wait after the first failure; it doubles with each. 0.5 s.</summary>
        public TimeSpan MinBackoff { get; set; } = TimeSpan.FromSeconds(0.5);

        /// <summary>Maximum bound of the random wait; 30 s.</summary>
        public TimeSpan MaxBackoff { get; set; } = TimeSpan.FromSeconds(30);

        /// <summary>Time until the node's hello, including the supplier of credentials; 10 s.</summary>
        public TimeSpan ConnectTimeout { get; set; } = TimeSpan.FromSeconds(10);

        /// <summary>Time until a publish is answered, including waits for a connection; 30 s.</summary>
        public TimeSpan PublishTimeout { get; set; } = TimeSpan.FromSeconds(30);

        /// <summary>Maximum number of unanswered publishes and requests; 1,000.</summary>
        public int MaxPublishes { get; set; } = 1000;

        /// <summary>
        /// Maximum number of messages of a subscription that wait for its handler; 1,024. It is 16 times as
        /// high while a call is unanswered. Above it the client stops reading its socket.
        /// </summary>
        public int MaxQueued { get; set; } = 1024;

        /// <summary>Maximum size of a frame from the node in bytes; 16 MiB.</summary>
        public int MaxFrameBytes { get; set; } = 16 * 1024 * 1024;

        /// <summary>Changes the settings of each WebSocket, such as its proxy or certificates.</summary>
        public Action<ClientWebSocketOptions> ConfigureSocket { get; set; }

        /// <summary>Called with each state of the connection.</summary>
        public Action<ConnectionState> OnState { get; set; }

        /// <summary>Called with each error that belongs to no call, subscription or consumer.</summary>
        public Action<SluiceException> OnError { get; set; }

        /// <summary>Returns a checked copy.</summary>
        internal SluiceOptions Check()
        {
            SluiceOptions copy = (SluiceOptions)MemberwiseClone();
            copy.Urls = (Urls ?? new List<string>()).ToList();
            foreach (string url in copy.Urls.DefaultIfEmpty(""))
            {
                Require(
                    Addresses.IsValid(url),
                    "Urls must contain addresses like wss://example.com/ws, not \"" + url + "\"");
            }
            Require(MinBackoff >= TimeSpan.Zero, "MinBackoff must not be negative, but is " + MinBackoff);
            Require(MaxBackoff >= MinBackoff, "MaxBackoff must be at least MinBackoff, not " + MaxBackoff);
            Require(MaxBackoff <= MaxDuration, "MaxBackoff must be at most a day, not " + MaxBackoff);
            RequireDuration(nameof(ConnectTimeout), ConnectTimeout);
            RequireDuration(nameof(PublishTimeout), PublishTimeout);
            RequirePositive(nameof(MaxPublishes), MaxPublishes);
            RequirePositive(nameof(MaxQueued), MaxQueued);
            RequirePositive(nameof(MaxFrameBytes), MaxFrameBytes);
            return copy;
        }

        internal TimeSpan Backoff(int failures)
        {
            return CloseCodes.Backoff(failures, MinBackoff, MaxBackoff);
        }

        internal static void RequireDuration(string name, TimeSpan value)
        {
            bool isAllowed = value >= TimeSpan.FromMilliseconds(1) && value <= MaxDuration;
            Require(isAllowed, name + " must be 1 ms to a day, not " + value);
        }

        private static void RequirePositive(string name, int value)
        {
            Require(value > 0, name + " must be at least 1, not " + value);
        }

        private static void Require(bool condition, string message)
        {
            if (!condition)
            {
                throw SluiceException.InvalidArgument(message);
            }
        }
    }
}
