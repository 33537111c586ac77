#pragma once
#include <curl/curl.h>

// Swift cannot call functions with variable arguments: one face for each kind of argument. None of them blocks.

typedef size_t (*mynah_curl_sink)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode mynah_curl_set_number(CURL *easy, CURLoption option, long value) {
  return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode mynah_curl_set_large(CURL *easy, CURLoption option, long long value) {
  return (curl_easy_setopt)(easy, option, (curl_off_t)value);
}

/// libcurl keeps a copy of the text.
static inline CURLcode mynah_curl_set_text(CURL *easy, CURLoption option, const char *value) {
  return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode mynah_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return (curl_easy_setopt)(easy, option, value);
}

/// CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION.
static inline CURLcode mynah_curl_set_sink(CURL *easy, CURLoption option, mynah_curl_sink sink) {
  return (curl_easy_setopt)(easy, option, sink);
}

/// `opened` is called with every socket before it is connected.
static inline CURLcode mynah_curl_set_opened(CURL *easy, curl_sockopt_callback opened) {
  return (curl_easy_setopt)(easy, CURLOPT_SOCKOPTFUNCTION, opened);
}

/// `closed` is called in place of close(2).
static inline CURLcode mynah_curl_set_closed(CURL *easy, curl_closesocket_callback closed) {
  return (curl_easy_setopt)(easy, CURLOPT_CLOSESOCKETFUNCTION, closed);
}

static inline CURLMcode mynah_curl_multi_set_number(CURLM *multi, CURLMoption option, long value) {
  return (curl_multi_setopt)(multi, option, value);
}

/// Which kind of data the handles of one thread have in common.
static inline CURLSHcode mynah_curl_share(CURLSH *share, curl_lock_data data) {
  return (curl_share_setopt)(share, CURLSHOPT_SHARE, data);
}

/// 0 where libcurl does not know.
static inline long mynah_curl_number(CURL *easy, CURLINFO info) {
  long value = 0;
  return (curl_easy_getinfo)(easy, info, &value) == CURLE_OK ? value : 0;
}

/// 0 where libcurl does not know.
static inline long long mynah_curl_large(CURL *easy, CURLINFO info) {
  curl_off_t value = 0;
  return (curl_easy_getinfo)(easy, info, &value) == CURLE_OK ? value : 0;
}

/// NULL where libcurl does not know; its own until the handle is used again.
static inline const char *mynah_curl_text(CURL *easy, CURLINFO info) {
  char *value = NULL;
  return (curl_easy_getinfo)(easy, info, &value) == CURLE_OK ? value : NULL;
}

/// Every cookie that is kept, as lines of Netscape's format; the caller frees them. NULL if there is none.
static inline struct curl_slist *mynah_curl_cookies(CURL *easy) {
  struct curl_slist *value = NULL;
  return (curl_easy_getinfo)(easy, CURLINFO_COOKIELIST, &value) == CURLE_OK ? value : NULL;
}

/// The connection's socket, or −1.
static inline int mynah_curl_socket(CURL *easy) {
  curl_socket_t value = CURL_SOCKET_BAD;
  return (curl_easy_getinfo)(easy, CURLINFO_ACTIVESOCKET, &value) == CURLE_OK ? value : -1;
}

/// The next handle that has finished, and how; NULL if none has.
static inline CURL *mynah_curl_finished(CURLM *multi, CURLcode *result) {
  int left = 0;
  for (CURLMsg *message; (message = curl_multi_info_read(multi, &left));) {
    if (message->msg != CURLMSG_DONE) continue;
    *result = message->data.result;
    return message->easy_handle;
  }
  return NULL;
}
