/* A tool for Valgrind that counts instructions, by lane and by place in the program, and steps.
 *
 * The scheduler in virtual time says when a step of a lane begins and ends (Sources/CLinux/steps.c). What runs between
 * two simulated times is counted exactly: every instruction, however fast or busy the machine is. Two runs of the same
 * program and script give the same numbers.
 *
 *   valgrind --tool=counter --counts=FILE --from=SECONDS --to=SECONDS PROGRAM ...
 *
 * FILE gets a line for each lane (wake-ups, steps, system calls, those that get or return memory, the longest step and
 * when it was) and one for each straight run of instructions that was executed (its address, and how many instructions of it each lane executed).
 */
#include "pub_tool_basics.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_tooliface.h"

#include <asm/unistd_64.h>

/* Counts 0 are what is executed between steps; lane n has counts n + 1. */
#define LANES 16
#define NOBODY 0
#define SECOND 1000000000LL

/* As in steps.c. */
enum { step_begins = ('M' << 24) | ('Y' << 16), step_ends };

/* A straight run of instructions: executed from the first to the last, or left at its end only. */
typedef struct {
   VgHashNode node; /* its key is the address of the first instruction */
   ULong length;
   ULong counts[LANES];
} Segment;

typedef struct {
   ULong wakeups, steps, calls, memory_calls, longest;
   Long longest_at, woken_at;
} LaneCounts;

static VgHashTable *segments;
static LaneCounts lanes[LANES];
/* What the counting code in the program reads and writes: where in `counts` the lane is that runs, and all instructions
   since the start. */
static ULong lane_offset, total;
static ULong step_start;
static Long now;

static const HChar *counts_path;
static Int from_second, to_second;
static Bool is_open, is_over;

/* Of libvex: what the processor says that it can. The same on every machine, or libraries would choose other code. */
extern void amd64g_dirtyhelper_CPUID_sse3_and_cx16(void *state);

/* ------------------------------------------------------------------------------------------------ counting code */

static Word same_length(const void *a, const void *b)
{
   const Segment *left = a, *right = b;
   return left->node.key == right->node.key && left->length == right->length ? 0 : 1;
}

static Segment *segment_of(Addr address, ULong length)
{
   Segment wanted = {.node = {.next = NULL, .key = address}, .length = length};
   Segment *segment = VG_(HT_gen_lookup)(segments, &wanted, same_length);
   if (segment == NULL) {
      segment = VG_(calloc)("segment", 1, sizeof(Segment));
      segment->node.key = address;
      segment->length = length;
      VG_(HT_add_node)(segments, segment);
   }
   return segment;
}

static IRExpr *constant(ULong value) { return IRExpr_Const(IRConst_U64(value)); }

static IRExpr *load(IRSB *code, IRExpr *address)
{
   IRTemp value = newIRTemp(code->tyenv, Ity_I64);
   addStmtToIRSB(code, IRStmt_WrTmp(value, IRExpr_Load(Iend_LE, Ity_I64, address)));
   return IRExpr_RdTmp(value);
}

static IRExpr *sum(IRSB *code, IRExpr *a, IRExpr *b)
{
   IRTemp value = newIRTemp(code->tyenv, Ity_I64);
   addStmtToIRSB(code, IRStmt_WrTmp(value, IRExpr_Binop(Iop_Add64, a, b)));
   return IRExpr_RdTmp(value);
}

static void add_to(IRSB *code, IRExpr *address, ULong n)
{
   addStmtToIRSB(code, IRStmt_Store(Iend_LE, address, sum(code, load(code, address), constant(n))));
}

static void count(IRSB *code, Addr address, ULong length)
{
   if (length == 0) return;
   Segment *segment = segment_of(address, length);
   IRExpr *place = sum(code, load(code, constant((Addr)&lane_offset)), constant((Addr)segment->counts));
   add_to(code, place, 1);
   add_to(code, constant((Addr)&total), length);
}

/* The same statement; but a question to the processor gets the answer that is the same on every machine. */
static IRStmt *same_everywhere(IRStmt *statement)
{
   if (statement->tag != Ist_Dirty) return statement;
   IRDirty *call = statement->Ist.Dirty.details;
   if (VG_(strncmp)(call->cee->name, "amd64g_dirtyhelper_CPUID", 24) != 0) return statement;
   IRDirty *other = deepCopyIRDirty(call);
   other->cee = mkIRCallee(call->cee->regparms, "amd64g_dirtyhelper_CPUID_sse3_and_cx16",
                           VG_(fnptr_to_fnentry)(&amd64g_dirtyhelper_CPUID_sse3_and_cx16));
   return IRStmt_Dirty(other);
}

static IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                        const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word, IRType host_word)
{
   IRSB *out = deepCopyIRSBExceptStmts(in);
   Addr first = 0;
   ULong length = 0;
   for (Int i = 0; i < in->stmts_used; i++) {
      IRStmt *statement = in->stmts[i];
      if (statement == NULL || statement->tag == Ist_NoOp) continue;
      if (statement->tag == Ist_IMark) {
         if (length == 0) first = statement->Ist.IMark.addr;
         length++;
      } else if (statement->tag == Ist_Exit) {
         count(out, first, length);
         length = 0;
      }
      addStmtToIRSB(out, same_everywhere(statement));
   }
   count(out, first, length);
   return out;
}

/* ------------------------------------------------------------------------------------------------------- the window */

static void forget(void)
{
   VG_(HT_ResetIter)(segments);
   for (Segment *segment; (segment = VG_(HT_Next)(segments)) != NULL;)
      VG_(memset)(segment->counts, 0, sizeof segment->counts);
   VG_(memset)(lanes, 0, sizeof lanes);
   for (Int lane = 0; lane < LANES; lane++) lanes[lane].woken_at = -1;
}

static void write_counts(void)
{
   VgFile *file = VG_(fopen)(counts_path, VKI_O_CREAT | VKI_O_TRUNC | VKI_O_WRONLY, 0644);
   if (file == NULL) VG_(fmsg)("%s cannot be written\n", counts_path), VG_(exit)(1);
   VG_(fprintf)(file, "window %d %d %s\n", from_second, to_second, is_over ? "whole" : "cut");
   for (Int lane = 0; lane < LANES; lane++) {
      const LaneCounts *counts = &lanes[lane];
      VG_(fprintf)(file, "lane %d %llu %llu %llu %llu %llu %lld\n", lane - 1, counts->wakeups, counts->steps,
                   counts->calls, counts->memory_calls, counts->longest, counts->longest_at);
   }
   VG_(HT_ResetIter)(segments);
   for (Segment *segment; (segment = VG_(HT_Next)(segments)) != NULL;) {
      ULong all = 0;
      for (Int lane = 0; lane < LANES; lane++) all += segment->counts[lane];
      if (all == 0) continue;
      VG_(fprintf)(file, "%lx", segment->node.key);
      for (Int lane = 0; lane < LANES; lane++) VG_(fprintf)(file, " %llu", segment->counts[lane] * segment->length);
      VG_(fprintf)(file, "\n");
   }
   VG_(fclose)(file);
}

static void begin(Int lane, Long time)
{
   now = time;
   if (!is_open && !is_over && now >= from_second * SECOND) {
      is_open = True;
      forget();
   }
   if (is_open && now >= to_second * SECOND) {
      is_open = False;
      is_over = True;
      write_counts();
   }
   lane_offset = (lane + 1) * sizeof(ULong);
   LaneCounts *counts = &lanes[lane + 1];
   if (counts->woken_at != now) counts->wakeups++;
   counts->woken_at = now;
   counts->steps++;
   step_start = total;
}

static void end(Int lane)
{
   LaneCounts *counts = &lanes[lane + 1];
   if (total - step_start > counts->longest) {
      counts->longest = total - step_start;
      counts->longest_at = now;
   }
   lane_offset = NOBODY;
}

static Bool hear(ThreadId thread, UWord *words, UWord *answer)
{
   if (words[0] != step_begins && words[0] != step_ends) return False;
   if (words[1] + 1 < LANES) {
      if (words[0] == step_begins) begin(words[1], words[2]);
      else end(words[1]);
   }
   *answer = 0;
   return True;
}

/* Whether a call gets memory or returns it. Where the allocator finds room decides how many of them there are. */
static Bool is_of_memory(UInt number)
{
   switch (number) {
   case __NR_mmap: case __NR_mprotect: case __NR_munmap: case __NR_brk: case __NR_mremap: case __NR_madvise: return True;
   default: return False;
   }
}

static void before_call(ThreadId thread, UInt number, UWord *words, UInt n)
{
   LaneCounts *counts = &lanes[lane_offset / sizeof(ULong)];
   if (is_of_memory(number)) counts->memory_calls++;
   else counts->calls++;
}

static void after_call(ThreadId thread, UInt number, UWord *words, UInt n, SysRes result) {}

/* ------------------------------------------------------------------------------------------------------ the tool */

static Bool option(const HChar *text)
{
   return VG_STR_CLO(text, "--counts", counts_path) || VG_BINT_CLO(text, "--from", from_second, 0, 1000000)
      || VG_BINT_CLO(text, "--to", to_second, 1, 1000000);
}

static void usage(void)
{
   VG_(printf)("    --counts=FILE     where counts go\n"
               "    --from=SECONDS    simulated time at which counting begins\n"
               "    --to=SECONDS      and at which it ends\n");
}

static void no_debug_usage(void) {}

static void ready(void)
{
   if (counts_path == NULL || to_second <= from_second) {
      VG_(fmsg)("--counts=FILE is needed, and --to=SECONDS after --from=SECONDS\n");
      VG_(exit)(1);
   }
   /* Runs of instructions that stay within one function, and are as long as they are in the program. */
   VG_(clo_vex_control).guest_chase = False;
   VG_(clo_vex_control).iropt_unroll_thresh = 0;
}

static void over(Int status)
{
   if (!is_over) write_counts();
}

static void describe(void)
{
   VG_(details_name)("counter");
   VG_(details_description)("counts instructions by lane and place, and steps");
   VG_(details_copyright_author)("Apache-2.0");
   VG_(details_bug_reports_to)("the project");
   VG_(basic_tool_funcs)(ready, instrument, over);
   VG_(needs_command_line_options)(option, usage, no_debug_usage);
   VG_(needs_client_requests)(hear);
   VG_(needs_syscall_wrapper)(before_call, after_call);
   segments = VG_(HT_construct)("segments");
}

VG_DETERMINE_INTERFACE_VERSION(describe)
