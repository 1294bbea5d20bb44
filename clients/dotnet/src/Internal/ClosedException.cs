using System;

namespace Sluice.Internal
{
    /// <summary>End of a connection, with the close code, or 1006 if there was none.</summary>
    internal sealed class ClosedException : Exception
    {
        internal const int Abnormal = 1006;

        internal ClosedException(int code, string reason, Exception cause = null)
            : base(reason.Length == 0 ? code.ToString() : code + " " + reason, cause)
        {
            Code = code;
        }

        internal int Code { get; }

        /// <summary>Wait that the refusal of the handshake requests.</summary>
        internal TimeSpan RetryAfter { get; set; }
    }
}
