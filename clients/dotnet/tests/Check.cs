using System;
using System.Collections.Generic;
using System.Linq;
using Newtonsoft.Json.Linq;

namespace Sluice.Tests
{
    /// <summary>Assertions.</summary>
    internal static class Check
    {
        internal static void Equal(object expected, object actual)
        {
            if (!Equals(expected, actual))
            {
                throw new InvalidOperationException("expected " + expected + ", not " + actual);
            }
        }

        internal static void Equal(JToken expected, JToken actual)
        {
            if (!JToken.DeepEquals(expected, actual))
            {
                throw new InvalidOperationException("expected " + expected + ", not " + actual);
            }
        }

        internal static void Sequence<T>(IEnumerable<T> actual, params T[] expected)
        {
            Equal(string.Join(" | ", expected), string.Join(" | ", actual.ToArray()));
        }

        internal static void True(bool condition, string description)
        {
            if (!condition)
            {
                throw new InvalidOperationException(description + " is false");
            }
        }

        /// <summary>Asserts that a call throws an exception with this message.</summary>
        internal static void Throws<T>(string message, Action call)
            where T : Exception
        {
            try
            {
                call();
            }
            catch (T e)
            {
                Equal(message, e.Message);
                return;
            }
            throw new InvalidOperationException("nothing was thrown, expected " + message);
        }
    }
}
