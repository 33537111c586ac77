#pragma once

/// Names the calling thread as `top -H` shows it; at most 15 bytes are kept (prctl(2), PR_SET_NAME).
void mynah_set_thread_name(const char *name);
