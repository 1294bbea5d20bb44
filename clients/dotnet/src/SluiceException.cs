using System;

namespace Sluice
{
    /// <summary>Failure of a call, a subscription, a consumer or the client.</summary>
    /// <remarks>
    /// Codes of the node are those of the protocol, such as "forbidden". Codes of the client: "closed",
    /// "refused", "connection-lost", "publish-queue-full", "publish-timeout", "timeout", "bad-answer",
    /// "no-token", "handler-failed", "messages-missing", "invalid-argument", "internal".
    /// </remarks>
    public sealed class SluiceException : Exception
    {
        /// <summary>Creates a failure.</summary>
        public SluiceException(string code, string message, Exception cause = null)
            : base(message, cause)
        {
            Code = code;
        }

        /// <summary>Stable code; the message is for people and can change.</summary>
        public string Code { get; }

        internal static SluiceException InvalidArgument(string message)
        {
            return new SluiceException("invalid-argument", message);
        }

        internal static SluiceException Lost()
        {
            return new SluiceException("connection-lost", "the connection ended before the answer");
        }

        internal static SluiceException BadAnswer(Exception cause)
        {
            return new SluiceException("bad-answer", cause.Message, cause);
        }
    }
}
