/* A plug-in of QEMU's that counts the instructions that a guest executes, per processor, into a file that the rig reads
   while it runs: counts=PATH. The declarations are those of QEMU's qemu-plugin.h, which no package brings. Who compiles it says
   VERSION, the one of QEMU's interface, and PROCESSORS, for how many the file has room (rig/cardcount.py). */
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
typedef void (*translated)(plugin_id id, struct qemu_plugin_tb *block);
typedef void (*executed)(unsigned int processor, void *count);

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, translated callback);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block, executed callback, int flags, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);

__attribute__((visibility("default"))) int qemu_plugin_version = VERSION;

static uint64_t *counts;

/* Each processor is a thread of its own, and has a place of its own. */
static void count(unsigned int processor, void *instructions) {
  if (processor < PROCESSORS) counts[processor] += (uintptr_t)instructions;
}

static void translate(plugin_id id, struct qemu_plugin_tb *block) {
  (void)id;
  qemu_plugin_register_vcpu_tb_exec_cb(block, count, 0, (void *)(uintptr_t)qemu_plugin_tb_n_insns(block));
}

__attribute__((visibility("default"))) int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv) {
  (void)info;
  if (argc != 1 || strncmp(argv[0], "counts=", 7) != 0) return -1;
  int file = open(argv[0] + 7, O_RDWR);
  if (file < 0) return -1;
  counts = mmap(NULL, PROCESSORS * sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (counts == MAP_FAILED) return -1;
  qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
  return 0;
}
