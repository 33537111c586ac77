#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int mynah_open_links(void) {
  int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
  if (descriptor < 0) return -1;
  struct sockaddr_nl address = {
      .nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR};
  struct {
    struct nlmsghdr header;
    struct ifinfomsg body;
  } all = {.header = {.nlmsg_len = sizeof all, .nlmsg_type = RTM_GETLINK, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
           .body = {.ifi_family = AF_UNSPEC}};
  if (bind(descriptor, (struct sockaddr *)&address, sizeof address) < 0 ||
      send(descriptor, &all, sizeof all, 0) < 0) {
    int code = errno;
    close(descriptor);
    errno = code;
    return -1;
  }
  return descriptor;
}

int mynah_read_links(int descriptor, struct mynah_link *links, int capacity) {
  _Alignas(struct nlmsghdr) char bytes[16384];
  ssize_t count;
  do count = recv(descriptor, bytes, sizeof bytes, 0);
  while (count < 0 && errno == EINTR);
  if (count < 0) return -errno;
  int found = 0;
  // The macros want a signed length that they count down.
  int left = (int)count;
  for (struct nlmsghdr *header = (struct nlmsghdr *)bytes; NLMSG_OK(header, left) && found < capacity;
       header = NLMSG_NEXT(header, left)) {
    struct mynah_link *link = &links[found];
    memset(link, 0, sizeof *link);
    switch (header->nlmsg_type) {
    case NLMSG_DONE:
      link->kind = mynah_link_listed;
      found++;
      break;
    case RTM_NEWLINK:
    case RTM_DELLINK: {
      if (header->nlmsg_len < NLMSG_LENGTH(sizeof(struct ifinfomsg))) break;
      struct ifinfomsg *body = NLMSG_DATA(header);
      if (body->ifi_flags & IFF_LOOPBACK) break;
      link->kind = mynah_link_state;
      link->index = body->ifi_index;
      link->is_running = header->nlmsg_type == RTM_NEWLINK && (body->ifi_flags & IFF_UP) && (body->ifi_flags & IFF_RUNNING);
      found++;
      break;
    }
    case RTM_NEWADDR: {
      if (header->nlmsg_len < NLMSG_LENGTH(sizeof(struct ifaddrmsg))) break;
      struct ifaddrmsg *body = NLMSG_DATA(header);
      // Loopback's, and those with which nobody beyond the link can be reached.
      if (body->ifa_scope != RT_SCOPE_UNIVERSE) break;
      link->kind = mynah_link_address;
      link->index = (int)body->ifa_index;
      memset(link->address, 0, sizeof link->address);
      int rest = (int)(header->nlmsg_len - NLMSG_LENGTH(sizeof *body));
      for (struct rtattr *part = IFA_RTA(body); RTA_OK(part, rest); part = RTA_NEXT(part, rest)) {
        size_t size = RTA_PAYLOAD(part);
        if (part->rta_type == IFA_ADDRESS && size <= sizeof link->address) memcpy(link->address, RTA_DATA(part), size);
      }
      found++;
      break;
    }
    default: break;
    }
  }
  return found;
}
