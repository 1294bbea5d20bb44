using System;

namespace Sluice.Internal
{
    /// <summary>Rules for addresses of nodes.</summary>
    internal static class Addresses
    {
        internal static bool IsValid(string url)
        {
            return Uri.TryCreate(url, UriKind.Absolute, out Uri uri)
                && (uri.Scheme == "ws" || uri.Scheme == "wss")
                && uri.Host.Length > 0
                && uri.Port != 0
                && url.IndexOf('#') < 0;
        }

        /// <summary>Returns whether a redirect from an address may be followed.</summary>
        internal static bool IsSafeRedirect(string current, string url)
        {
            return IsValid(url) && (IsSecure(url) || !IsSecure(current));
        }

        private static bool IsSecure(string url)
        {
            return new Uri(url).Scheme == "wss";
        }
    }
}
