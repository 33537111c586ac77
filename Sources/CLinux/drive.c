#include "CLinux.h"

#include <errno.h>
#include <linux/nbd.h>
#include <sys/ioctl.h>
#include <unistd.h>

int mynah_nbd_attach(int device, int socket, unsigned long long bytes) {
  // What another server has left.
  ioctl(device, NBD_CLEAR_SOCK);
  if (ioctl(device, NBD_SET_BLKSIZE, 512UL) != 0 || ioctl(device, NBD_SET_SIZE_BLOCKS, (unsigned long)(bytes / 512)) != 0)
    return -1;
  ioctl(device, NBD_SET_FLAGS, (unsigned long)(NBD_FLAG_HAS_FLAGS | NBD_FLAG_READ_ONLY));
  return ioctl(device, NBD_SET_SOCK, socket);
}

int mynah_nbd_run(int device) {
  int result = ioctl(device, NBD_DO_IT);
  int reason = errno;
  ioctl(device, NBD_CLEAR_SOCK);
  errno = reason;
  return result;
}
