internal import CCurl
internal import CLinux
internal import Hardware

/// How connections are made, and whether old ones may be used.
struct ConnectionOptions {
  var settings: NetworkSettings
  /// The file of authorities that is used: the one of the settings, or the system's.
  var authorities: String?
  /// Sessions of TLS, which save a way to the server and back when a connection is made again.
  var share: UnsafeMutableRawPointer?
  /// Where libcurl's sockets are kept, this connection's among them: all are acknowledged together.
  var sockets: OpenSockets
  /// Connections that were idle already when a link came up may be dead: how long ago that was.
  var sinceLinkUp: Duration?
}

/// A handle of libcurl's. The engine's thread only.
final class EasyHandle {
  let pointer: UnsafeMutableRawPointer
  /// libcurl writes its words for people into it, for as long as the handle lives.
  private let words: UnsafeMutablePointer<CChar>

  init?() {
    guard let pointer = curl_easy_init() else { return nil }
    self.pointer = pointer
    words = .allocate(capacity: Int(CURL_ERROR_SIZE))
    words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    set(CURLOPT_ERRORBUFFER, UnsafeMutableRawPointer(words))
  }

  deinit {
    curl_easy_cleanup(pointer)
    words.deallocate()
  }

  func set(_ option: CURLoption, _ value: Int) { _ = mynah_curl_set_number(pointer, option, value) }
  func set(_ option: CURLoption, _ value: String) { _ = mynah_curl_set_text(pointer, option, value) }
  func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer) {
    _ = mynah_curl_set_pointer(pointer, option, value)
  }
  func set(_ option: CURLoption, _ sink: @escaping mynah_curl_sink) { _ = mynah_curl_set_sink(pointer, option, sink) }

  func number(_ info: CURLINFO) -> Int { mynah_curl_number(pointer, info) }
  func large(_ info: CURLINFO) -> Int64 { mynah_curl_large(pointer, info) }
  func text(_ info: CURLINFO) -> String? { mynah_curl_text(pointer, info).map { String(cString: $0) } }

  /// Name, connection, proxy and TLS are there.
  var isConnected: Bool { large(CURLINFO_PRETRANSFER_TIME_T) > 0 }

  /// What both kinds of connections have in common.
  func apply(_ options: ConnectionOptions, to address: String, connectTimeout: Duration) {
    set(CURLOPT_URL, address)
    // Threads are ours; libcurl's time-outs of names would use SIGALRM.
    set(CURLOPT_NOSIGNAL, 1)
    // A name server that does not answer must not hold up everything else when we give up on it.
    set(CURLOPT_QUICK_EXIT, 1)
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    // What was asked for in secret is never sent on in the open.
    set(CURLOPT_REDIR_PROTOCOLS_STR, address.lowercased().hasPrefix("https:") ? "https" : "http,https")
    set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    set(CURLOPT_USERAGENT, "mynah")
    set(CURLOPT_CONNECTTIMEOUT_MS, HTTPJob.milliseconds(connectTimeout))
    set(CURLOPT_TCP_NODELAY, 1)
    // No file: cookies are kept for as long as the program runs, and sent where they came from.
    set(CURLOPT_COOKIEFILE, "")
    // The empty text keeps variables of the environment from choosing one.
    set(CURLOPT_PROXY, options.settings.proxy ?? "")
    if let authorities = options.authorities { set(CURLOPT_CAINFO, authorities) }
    options.sockets.follow(self)
    if let share = options.share { set(CURLOPT_SHARE, share) }
    if let since = options.sinceLinkUp {
      if since < .seconds(2) {
        set(CURLOPT_FRESH_CONNECT, 1)
      } else {
        set(CURLOPT_MAXAGE_CONN, min(60, Int(since.inSeconds)))
      }
    }
  }

  /// Forgets cookies until no more than `most` are kept, of all connections: half of those of the server that has set
  /// the most, as often as it takes. libcurl keeps whatever servers set.
  func boundCookies(_ most: Int) {
    let list = mynah_curl_cookies(pointer)
    defer { curl_slist_free_all(list) }
    var lines: [String] = []
    var next = list
    while let item = next {
      if let text = item.pointee.data { lines.append(String(cString: text)) }
      next = item.pointee.next
    }
    guard lines.count > most else { return }
    let kept = Self.bounded(lines, most)
    set(CURLOPT_COOKIELIST, "ALL")
    for line in kept { set(CURLOPT_COOKIELIST, line) }
  }

  /// Those that are kept of lines that begin with a server's name and a tabulator.
  private static func bounded(_ lines: [String], _ most: Int) -> [String] {
    var servers = Dictionary(grouping: lines) { $0.prefix { $0 != "\t" } }
    var count = lines.count
    while count > most, let largest = servers.max(by: { $0.value.count < $1.value.count }) {
      let kept = largest.value.prefix(largest.value.count / 2)
      servers[largest.key] = Array(kept)
      count -= largest.value.count - kept.count
    }
    return servers.values.flatMap { $0 }
  }

  /// What is known about how far it came.
  func errors(subject: String, usesProxy: Bool) -> TransferErrors {
    TransferErrors(
      subject: subject, detail: String(cString: words), systemCode: number(CURLINFO_OS_ERRNO),
      hasName: large(CURLINFO_NAMELOOKUP_TIME_T) > 0, isConnected: isConnected,
      hasStatus: number(CURLINFO_RESPONSE_CODE) > 0, usesProxy: usesProxy,
      proxyStatus: number(CURLINFO_HTTP_CONNECTCODE))
  }
}
