using System;

namespace Sluice.Internal
{
    /// <summary>End of an attempt to connect, or of a connection.</summary>
    internal sealed class ConnectionEnd
    {
        internal ConnectionEnd(int code, string reason, string url, TimeSpan uptime)
        {
            Code = code;
            Reason = reason;
            Url = url;
            Uptime = uptime;
        }

        internal int Code { get; }

        internal string Reason { get; }

        internal string Url { get; }

        internal TimeSpan Uptime { get; }

        /// <summary>Wait that the refusal of the handshake requests.</summary>
        internal TimeSpan RetryAfter { get; set; }
    }
}
