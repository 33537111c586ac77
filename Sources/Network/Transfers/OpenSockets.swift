internal import CCurl
internal import Glibc

/// The sockets that libcurl has open. The engine's thread only; outlives every connection.
final class OpenSockets {
  private var descriptors: Set<curl_socket_t> = []

  /// Has libcurl tell of sockets that a handle opens.
  func follow(_ easy: EasyHandle) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    easy.set(CURLOPT_SOCKOPTDATA, context)
    easy.set(CURLOPT_CLOSESOCKETDATA, context)
    _ = mynah_curl_set_opened(easy.pointer) { context, descriptor, _ in
      guard let context else { return CURL_SOCKOPT_ERROR }
      Unmanaged<OpenSockets>.fromOpaque(context).takeUnretainedValue().descriptors.insert(descriptor)
      return CURL_SOCKOPT_OK
    }
    _ = mynah_curl_set_closed(easy.pointer) { context, descriptor in
      if let context {
        Unmanaged<OpenSockets>.fromOpaque(context).takeUnretainedValue().descriptors.remove(descriptor)
      }
      return close(descriptor)
    }
  }

  /// Lets the kernel say at once what has come, on all of them: libcurl does not tell whose an answer is.
  ///
  /// A server that writes an answer in pieces and gathers small ones (Nagle, RFC 896) holds the next piece back until it
  /// hears of the last; the kernel would say it 40 ms later, in case there is something to send along (RFC 1122,
  /// 4.2.3.2). It falls back to that by itself: tcp(7), TCP_QUICKACK.
  func acknowledge() {
    var now: CInt = 1
    for descriptor in descriptors {
      _ = setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_QUICKACK, &now, socklen_t(MemoryLayout<CInt>.size))
    }
  }
}
